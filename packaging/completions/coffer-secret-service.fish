complete -c coffer-secret-service -f
complete -c coffer-secret-service -l replace -d 'Take over from the program that serves the Secret Service now'
complete -c coffer-secret-service -l wait -x -d 'How long a program waits for your answer, in seconds'
complete -c coffer-secret-service -l version -d 'Show the version'
complete -c coffer-secret-service -s h -l help -d 'Show the help'
