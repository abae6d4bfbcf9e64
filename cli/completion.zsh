#compdef library
# Completion of library for zsh.

_library() {
    # The words go to the program as arguments and are never evaluated: a title
    # may have a command in it. (Q) takes quotes away and does nothing else; one
    # that is still open has to be closed for that.
    local typed=${(Q)${:-$QIPREFIX$IPREFIX$PREFIX${compstate[quote]}}}
    local -a before=("${(@Q)words[2,CURRENT-1]}") lines names shown end
    lines=("${(@f)$("${(Q)words[1]}" __complete "${before[@]}" "$typed" 2>/dev/null)}")
    local -i directive=${lines[-1]#:}
    lines[-1]=()

    [[ $typed == -*=* ]] && compset -P 1 '*=' # the value of a flag comes alone
    local line described
    for line in "${lines[@]}"; do
        [[ -n $line ]] || continue
        names+=("${line%%$'\t'*}")
        if [[ $line == *$'\t'?* ]]; then
            line=${line/$'\t'/  -- } described=-l
        fi
        shown+=("${line%$'\t'}")
    done

    if ((${#names} == 0)); then
        ((directive & 4)) || _files
        return
    fi
    ((directive & 2)) && end=(-S '')
    # An array of names cannot be taken for options, and zsh quotes what it
    # inserts as the open quote demands.
    compadd $described "${end[@]}" -d shown -a names
}

# It is either a file that zsh loads when it is needed, or sourced.
if [[ $funcstack[1] == _library ]]; then
    _library "$@"
else
    compdef _library library
fi
