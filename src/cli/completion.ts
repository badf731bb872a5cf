/**
 * `onboard completion <shell>`: a script that completes commands, options, jobs and files. It asks
 * nothing of Redis, so that a tab costs no time.
 */
import { Argument, type Command, Option } from 'commander';
import { sayJson } from '../lib/terminal.ts';
import type { AddCommand } from './command.ts';

const SHELLS = ['bash', 'zsh'] as const;

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
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', EXAMPLE)
    .action((shell: (typeof SHELLS)[number]) => {
      const script = shell === 'bash' ? bashScript : zshScript;
      // As it is: a script is no text for people.
      sayJson(io, ...script(wordsOf(program)).split('\n'));
      done(0);
    });
};

type Words = { readonly name: string; readonly about: string; readonly options: readonly Option[] };

function wordsOf(program: Command): readonly Words[] {
  const help = new Option('--help', 'what it does');
  return program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    options: [...command.options, help].filter(({ long }) => long !== undefined && long !== null),
  }));
}

const WITH_JOB = ['run', 'check', 'template'];

function bashScript(commands: readonly Words[]): string {
  const options = commands.map(
    ({ name, options: all }) => `    ${name}) words=${quoted(all.map(({ long }) => long).join('\n'))} ;;`,
  );
  return `_onboard() {
  # Names may have spaces: they are told apart by lines.
  local IFS=$'\\n'
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words='' found=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.map(({ name }) => name).join('\n'))} -- "$word"))
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
  compopt -o filenames 2>/dev/null
  while read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$word")
}
complete -F _onboard onboard`;
}

function zshScript(commands: readonly Words[]): string {
  const options = commands.map(({ name, options: all }) => {
    const lines = all.map(({ long, description }) => quoted(`${long}:${description}`));
    return `    ${name}) options=(${lines.join(' ')}) ;;`;
  });
  const names = commands.map(({ name, about }) => quoted(`${name}:${about}`));
  return `(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -u }
_onboard() {
  local -a commands options jobs
  commands=(${names.join(' ')})
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  case "$words[2]" in
${options.join('\n')}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    _describe -o -t options option options
    return
  fi
  if (( CURRENT == 3 )) && [[ "$words[2]" == (${WITH_JOB.join('|')}) ]]; then
    jobs=("\${ONBOARD_JOBS:-jobs}"/*.(yaml|yml)(N:t:r))
    jobs=("\${(@)jobs//:/\\\\:}")
    _describe -t jobs job jobs
  fi
  _files
}
compdef _onboard onboard`;
}

/** Text as one word of bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
