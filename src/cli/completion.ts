/**
 * `onboard completion <shell>`: a script that completes commands, options, jobs and files. It asks
 * nothing of Redis, so that a tab costs no time.
 */
import { Argument, type Command } from 'commander';
import { sayJson } from '../lib/terminal.ts';
import type { AddCommand } from './command.ts';

const EXAMPLE = `
Example:
  onboard completion bash

To have it in every new shell:
  bash: echo 'source <(onboard completion bash)' >> ~/.bashrc
  zsh:  echo 'source <(onboard completion zsh)' >> ~/.zshrc`;

export const addCompletionCommand: AddCommand = (program, io, done) => {
  program
    .command('completion')
    .description('Print a script for the shell that completes commands, options, jobs and files')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .addHelpText('after', EXAMPLE)
    .action(() => {
      // As it is: a script is no text for people.
      sayJson(io, ...scriptFor(program.commands).split('\n'));
      done(0);
    });
};

const WITH_JOB = ['run', 'check', 'template'];

/** For bash; zsh runs it by the functions that it has for bash's completions. */
function scriptFor(commands: readonly Command[]): string {
  const names = commands.map((command) => command.name());
  const options = commands.map((command) => {
    const words = ['--help', ...command.options.flatMap(({ long }) => long ?? [])];
    return `    ${command.name()}) words=${inLines(words)} ;;`;
  });
  return `if [ -n "$ZSH_VERSION" ]; then
  autoload -Uz compinit bashcompinit
  (( \${+functions[compdef]} )) || compinit -u
  bashcompinit
fi
_onboard() {
  # Names may have spaces: they are told apart by lines.
  local IFS=$'\\n'
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words='' found=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${inLines(names)} -- "$word"))
    return
  fi
  case "$command" in
${options.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ; return ;;
  esac
  case "$command:$COMP_CWORD" in
    ${WITH_JOB.map((name) => `${name}:2`).join('|')})
      for found in "\${ONBOARD_JOBS:-jobs}"/*.yaml "\${ONBOARD_JOBS:-jobs}"/*.yml; do
        [ -e "$found" ] || continue
        found="\${found##*/}"
        found="\${found%.*}"
        case "$found" in "$word"*) COMPREPLY+=("$found") ;; esac
      done ;;
  esac
  while read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$word")
}
complete -o filenames -F _onboard onboard`;
}

/** One word of bash and zsh. */
function inLines(words: readonly string[]): string {
  return `'${words.join('\n')}'`;
}
