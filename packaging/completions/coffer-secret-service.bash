_coffer_secret_service() {
    COMPREPLY=()
    # The value of --wait is a number.
    [[ ${COMP_WORDS[COMP_CWORD - 1]} == --wait ]] && return
    mapfile -t COMPREPLY < <(compgen -W '--replace --wait --version --help' -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -F _coffer_secret_service coffer-secret-service
