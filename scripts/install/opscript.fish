# Completion of opscript in fish. The command itself knows its options, and the options and tasks of a script.
function __opscript_complete
    set -l current (commandline -ct)
    set -l before (commandline -opc)
    for line in ($before[1] ---complete (count $before) $before "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c opscript -f -a '(__opscript_complete)'
