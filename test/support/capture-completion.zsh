# Prints what zsh offers at the end of the words $1, with the completion script $ONBOARD_SCRIPT: its own completion runs in a
# terminal of its own (zpty), where compadd also prints what it is given.
zmodload zsh/zpty
zpty z zsh -f -i
() {
  zpty -w z "source $1"
  repeat 40; do zpty -r z line; [[ $line == *ok* ]] && return; done
} =( <<'CHILD'
PROMPT=
autoload -Uz compinit
compinit -u -D
source $ONBOARD_SCRIPT
bindkey '^M' undefined
bindkey '^J' undefined
bindkey '^I' complete-word
null-line () { echo -E - $'\0' }
compprefuncs=( null-line )
comppostfuncs=( null-line exit )
zstyle ':completion:*' list-grouped false
zstyle ':completion:*' insert-tab false
zstyle ':completion:*' list-separator ''
compadd () {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return $?
  fi
  typeset -a __hits
  builtin compadd -A __hits "$@"
  [[ -n $__hits ]] || return
  print -rl -- $__hits
}
echo ok
CHILD
)
zpty -w z "$1"$'\t'
integer tog=0
while zpty -r z; do :; done | while IFS= read -r line; do
  if [[ $line == *$'\0\r' ]]; then (( tog++ )) && return 0 || continue; fi
  (( tog )) && print -r -- ${line%$'\r'}
done
