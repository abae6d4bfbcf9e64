# Completion of library for bash. It needs no other package.

__library_complete() {
    local line=${COMP_LINE:0:COMP_POINT} words=() word='' raw='' quote='' before='' started='' c i
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
            quote=$c before=$word
        else
            word+=$c
        fi
    done

    local out directive
    out=$("${COMP_WORDS[0]}" __complete "${words[@]:1}" "$word" 2>/dev/null) || return 0
    directive=${out##*:}
    out=${out%:*}
    if [[ $word == -*=* ]]; then # the value of a flag comes alone
        word=${word#*=} raw=${raw#*=} before=${before#*=}
    fi

    local entry name rest names=() descriptions=()
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
            # What was typed stays as it is. What is inserted follows what
            # readline takes for the beginning of the word: behind a colon.
            rest=${name:${#word}}
            [[ -n $rest ]] && printf -v rest %q "$rest"
            name=$raw$rest
            name=${name:${#raw}-${#2}}
        else
            # Here the word begins behind the quote. A title may close it, or
            # have a command in it: it must stay a title.
            __library_quote "$quote" "${name:${#before}}"
        fi
        COMPREPLY+=("$name")
    done
}

# __library_quote sets name to what means the text where a quote is open. Of a !
# the history takes hold even between double quotes, unless it stands outside.
# Readline closes the quote, but not behind a text that ends with one.
__library_quote() {
    local c escaped="'\\''" bang='"\!"'
    name=$2
    if [[ $1 == "'" ]]; then
        name=${name//"'"/"$escaped"}
    else
        for c in "\\" '"' '$' '`'; do
            name=${name//"$c"/"\\$c"}
        done
        name=${name//'!'/"$bang"}
    fi
    [[ $name == *"$1" ]] && name+=$1
    return 0
}

complete -F __library_complete library
