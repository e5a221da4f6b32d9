#compdef coffer-secret-service
_arguments \
    '--replace[take over from the program that serves the Secret Service now]' \
    '--wait[how long a program waits for your answer]:seconds:' \
    '(- *)--version[show the version]' \
    '(- *)'{-h,--help}'[show the help]'
