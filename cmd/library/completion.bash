# Completion of library for bash. It needs no other package.

__library_complete() {
    local line=${COMP_LINE:0:COMP_POINT} words=() word='' raw='' quote='' started='' c i
    # COMP_WORDS is split at colons, too, and titles have some: take the line
    # apart as the shell would.
    for ((i = 0; i < ${#line}; i++)); do
        c=${line:i:1}
        if [[ -z $quote && $c == [[:space:]] ]]; then
            [[ -n $started ]] && words+=("$word")
            word='' raw='' started=''
            continue
        fi
        started=1 raw+=$c
        if [[ $c == "\\" && $quote != "'" ]]; then
            i=$((i + 1))
            word+=${line:i:1} raw+=${line:i:1}
        elif [[ -n $quote && $c == "$quote" ]]; then
            quote=''
        elif [[ -z $quote && $c == [\"\'] ]]; then
            quote=$c
        else
            word+=$c
        fi
    done

    local out directive
    out=$("${COMP_WORDS[0]}" __complete "${words[@]:1}" "$word" 2>/dev/null) || return 0
    directive=${out##*:}
    out=${out%:*}
    if [[ $word == -*=* ]]; then # the value of a flag comes alone
        word=${word#*=} raw=${raw#*=}
    fi

    local entry name names=() descriptions=()
    while IFS= read -r entry; do
        name=${entry%%$'\t'*}
        [[ -n $name && $name == "$word"* ]] || continue
        names+=("$name")
        [[ $entry == *$'\t'* ]] && descriptions[${#names[@]} - 1]=${entry#*$'\t'}
    done <<<"$out"

    COMPREPLY=()
    if ((${#names[@]} == 0)); then
        ((directive & 4)) || compopt -o default # the names of files
        return 0
    fi
    ((directive & 2)) && compopt -o nospace
    for i in "${!names[@]}"; do
        name=${names[i]}
        if [[ $COMP_TYPE == 63 ]] && ((${#names[@]} > 1)); then # only to be shown
            [[ -n ${descriptions[i]} ]] && name+="  (${descriptions[i]})"
        elif [[ -z $quote ]]; then
            # What is inserted follows what readline takes for the beginning of
            # the word: it begins behind a colon.
            printf -v name %q "$name"
            [[ $name == "$raw"* ]] || continue
            name=${name:${#raw}-${#2}}
        fi
        COMPREPLY+=("$name")
    done
}

complete -F __library_complete library
