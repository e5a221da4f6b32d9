import ArgumentParser

/// A shell that completes words.
enum CompletingShell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    /// What makes the shell complete the words of `coffer`. Names of items come from others, too, so no shell ever evaluates them.
    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    /// Bash inserts a candidate as it is, so the script quotes it to fit the quotes that the person has begun.
    private static let bashScript = #"""
        # Completion of coffer for bash.
        _coffer() {
            local line=${COMP_LINE:0:COMP_POINT} char next quote= raw= plain= before= open= any= i
            local words=()
            # Takes the line apart as bash would, without evaluating it: the words before the cursor without their quotes, and the one at it.
            for ((i = 0; i < ${#line}; i++)); do
                char=${line:i:1}
                if [[ $quote == "'" ]]; then
                    raw+=$char
                    if [[ $char == "'" ]]; then quote=; else plain+=$char; fi
                elif [[ $char == "\\" ]]; then
                    i=$((i + 1)) next=${line:i:1} any=1
                    raw+=$char$next
                    [[ $quote != '"' || $next == ['"\$`'] ]] || plain+=$char
                    plain+=$next
                elif [[ $quote == '"' ]]; then
                    raw+=$char
                    if [[ $char == '"' ]]; then quote=; else plain+=$char; fi
                elif [[ $char == ["'\""] ]]; then
                    raw+=$char before=$plain open=$raw quote=$char any=1
                elif [[ $char == [[:blank:]] ]]; then
                    [[ -z $any ]] || words+=("$plain")
                    raw= plain= any=
                elif [[ $char == [';|&('] ]]; then
                    words=() raw= plain= any=
                else
                    raw+=$char plain+=$char any=1
                fi
            done
            while ((${#words[@]})) && [[ ${words[0]} != "$1" ]]; do words=("${words[@]:1}"); done
            words=("${words[@]:1}")
            COMPREPLY=()
            local found
            found=$(command coffer complete-words -- "${words[@]}" "$plain" 2>/dev/null)
            # The shell's own completion of files. It takes no quotes away, as this script does.
            if (($? == 3)); then
                compopt -o default 2>/dev/null
                return
            fi
            # Readline replaces only its own last word, which can begin behind a colon or an equals sign.
            local head=${raw%"$2"} name rest
            while IFS= read -r name; do
                [[ -n $name && $name == "$plain"* ]] || continue
                case $quote in
                "'")
                    rest=${name#"$before"}
                    COMPREPLY+=("${rest//"'"/"'\''"}")
                    ;;
                '"')
                    # A ! would be taken for an event of the history, which no backslash prevents here.
                    [[ $name != *'!'* ]] || continue
                    rest=${name#"$before"}
                    rest=${rest//'\'/'\\'} rest=${rest//'"'/'\"'} rest=${rest//'$'/'\$'} rest=${rest//'`'/'\`'}
                    COMPREPLY+=("$rest")
                    ;;
                *)
                    printf -v rest %q "$name"
                    [[ $rest != "$head"* ]] || COMPREPLY+=("${rest#"$head"}")
                    ;;
                esac
            done <<<"$found"
        }
        complete -F _coffer coffer
        """#

    /// zsh quotes what `compadd` is given.
    private static let zshScript = #"""
        #compdef coffer
        # Completion of coffer for zsh.
        _coffer() {
            local -a before found
            before=("${(@Q)words[2,CURRENT-1]}")
            found=("${(@f)$(command coffer complete-words -- "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
            if (($? == 3)); then
                [[ $PREFIX != -*=* ]] || compset -P '*='
                _files
                return
            fi
            found=("${(@)found:#}")
            compadd -- "${found[@]}"
        }
        if [[ $funcstack[1] == _coffer ]]; then
            _coffer "$@"
        else
            compdef _coffer coffer
        fi
        """#

    /// fish quotes what a command prints for it.
    private static let fishScript = #"""
        # Completion of coffer for fish.
        function __coffer_words
            set -l before (commandline -opc)
            set -e before[1]
            set -l current (commandline -ct)
            command coffer complete-words -- $before "$current" 2>/dev/null
            if test $status -eq 3
                set -l option (string match -r -- '^-[^=]*=' $current)
                for file in (__fish_complete_path (string replace -r -- '^-[^=]*=' '' $current))
                    echo "$option$file"
                end
            end
        end
        complete -c coffer -f -a '(__coffer_words)'
        """#
}
