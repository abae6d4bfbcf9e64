# Completion of library for fish.

# __library_typed says what the word at the cursor means so far. A quote may
# still be open in it, and a backslash may wait for the next key.
function __library_typed
    set -l raw (commandline -ct | string collect)
    for missing in '' "'" '"' \\
        string unescape -- "$raw$missing" 2>/dev/null; and return
    end
    echo -- $raw
end

function __library_complete
    # The words go to the program as arguments and are never evaluated: a title
    # may have a command in it.
    set -l words (commandline -opc)
    set -l typed (__library_typed)
    set -q words[1]; and command -sq -- $words[1]; or return
    set -l out ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    set -q out[1]; or return
    set -l directive (string sub -s 2 -- $out[-1])
    set -e out[-1]
    if not set -q out[1]
        # The names of files, where they make sense.
        test (math "bitand($directive, 4)") = 0; and __fish_complete_path "$typed"
        return
    end
    # The value of a flag comes alone.
    set -l flag (string match -r -- '^-[^=]*=' $typed)
    for line in $out
        printf '%s\n' "$flag$line"
    end
end

complete -c library -e
complete -c library -f -a '(__library_complete)'
