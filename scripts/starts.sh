# What scripts/machine and scripts/container share: showing the report of a start's steps, and ending at the first that fails.
# They set: log, a file that has everything once more.

failed='' shown=0 ended=''

say() { printf '%s\n' "$*" | tee -a "$log"; }

# PID: ends a process of ours.
end() {
    [[ -n $1 ]] || return 0
    kill "$1" 2>/dev/null || return 0
    local i
    for ((i = 0; i < 100; i++)); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.1; done
    kill -KILL "$1" 2>/dev/null || true
}

begin_report() { # FILE
    : >"$1"
    shown=0 ended=''
}

# FILE START: the lines of its report that have come since. A line is shown once it is complete.
show() {
    local line
    while IFS= read -r line; do
        shown=$((shown + 1))
        [[ $line != end ]] || { ended=yes; continue; }
        [[ $line != FAIL* ]] || failed=yes
        say "$(printf '%-8s %s' "$2" "$line")"
    done < <(tail -n "+$((shown + 1))" -- "$1" | head -n "$(($(wc -l <"$1") - shown))")
}

# START WHY [FILE…]: what the start left behind, then the end. The next starts build on this one.
give_up() {
    local name=$1 why=$2 file
    shift 2
    say "$(printf '%-8s FAIL  %s' "$name" "$why")"
    for file in "$@"; do
        [[ -s $file ]] || continue
        say "--- the end of $file ---"
        # The console has control characters.
        tail -n 40 -- "$file" | tr -cd '[:print:]\n\t' | cut -c1-400 | tee -a "$log"
    done
    say "FAILED: $log has everything"
    exit 1
}
