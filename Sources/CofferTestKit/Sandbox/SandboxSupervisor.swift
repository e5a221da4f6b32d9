/// The shell that starts a sandbox's programs and ends them. Its input is a pipe from the test's process, so it notices every way in which that process
/// ends. A line of the input restarts the broker.
enum SandboxSupervisor {
    /// Its arguments: the folder, the broker, the authenticator, and `swtpm` or nothing. It prints `ready` at the start and after each restart, or what
    /// went wrong.
    static let script = #"""
        folder=$1 broker=$2 authenticator=$3 tpm=$4
        exec 3<&0 </dev/null
        programs=

        launch() { # NAME COMMAND...
            name=$1; shift
            "$@" >>"$folder/log/$name.log" 2>&1 3<&- &
            program=$!
            programs="$program $programs"
        }

        listening() { awk -v path="$1" '$4 == "00010000" && $8 == path { found = 1 } END { exit !found }' /proc/net/unix; }

        ended() { # PID: it is gone, or waits to be reaped
            read -r line <"/proc/$1/stat" || return 0
            case ${line##*)} in " Z"*|" X"*) return 0 ;; *) return 1 ;; esac
        }

        await() { # SOCKET: until the last program listens there
            tries=0
            until listening "$1"; do
                tries=$((tries + 1))
                if ended "$program" || [ "$tries" -gt 3000 ]; then
                    echo "$name ended, or was not ready in time: $(tail -n 5 "$folder/log/$name.log")"
                    finish
                fi
                sleep 0.02
            done
        }

        stop() { # PID: a program that does not end by itself is ended
            kill -TERM "$1" 2>/dev/null
            (sleep 10; kill -KILL "$1" 2>/dev/null) 3<&- >/dev/null &
            guard=$!
            wait "$1" 2>/dev/null
            kill -KILL "$guard" 2>/dev/null
        }

        finish() {
            for one in $programs; do stop "$one"; done
            # All that is left in this session ends, too.
            rm -rf -- "$folder"
            kill -KILL 0
        }
        trap finish TERM HUP INT

        if [ -n "$tpm" ]; then
            launch swtpm swtpm socket --tpm2 --tpmstate "dir=$folder/tpm" --flags not-need-init,startup-clear \
                --server "type=unixio,path=$folder/tpm/swtpm.sock,mode=0600" \
                --ctrl "type=unixio,path=$folder/tpm/swtpm.sock.ctrl,mode=0600" --log "file=$folder/tpm/swtpm.log"
            await "$folder/tpm/swtpm.sock"
        fi
        start_broker() {
            launch cofferd "$broker" --config "$folder/cofferd.conf"
            running=$program
            await "$folder/coffer.sock"
            await "$folder/authenticator.sock"
        }
        start_broker
        launch coffer-authenticator "$authenticator" serve --config "$folder/cofferd.conf"
        await "$folder/auth.sock"
        echo ready
        while read -r _ <&3; do
            stop "$running"
            start_broker
            echo ready
        done
        finish
        """#
}
