/**
 * `onboard completion <shell>`: a script that teaches a shell the commands and their options, as this version has them, the
 * names of the jobs, and files. The script asks nothing of Redis, so that a tab costs no time.
 */
import { type Command, Option } from 'commander';
import { sayJson } from '../lib/terminal.ts';
import type { AddCommand } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const EXAMPLE = `
Example:
  onboard completion bash

To have it in every new shell:
  bash: echo 'source <(onboard completion bash)' >> ~/.bashrc
  zsh:  echo 'source <(onboard completion zsh)' >> ~/.zshrc
  fish: onboard completion fish > ~/.config/fish/completions/onboard.fish`;

export const addCompletionCommand: AddCommand = (program, io, done) => {
  program
    .command('completion')
    .description('Print a script for the shell that completes commands, options, jobs and files')
    .argument('<shell>', `one of ${SHELLS.join(', ')}`)
    .addHelpText('after', EXAMPLE)
    .action((shell: string) => {
      const write = new Map([
        ['bash', bashScript],
        ['zsh', zshScript],
        ['fish', fishScript],
      ]).get(shell);
      if (write === undefined)
        program.error(`error: no shell "${shell}": expected one of ${SHELLS.join(', ')}`);
      // As it is: a script is no text for people.
      else sayJson(io, ...write(wordsOf(program)).split('\n'));
      done(0);
    });
};

/** A command with its long options. */
type Words = { readonly name: string; readonly about: string; readonly options: readonly Option[] };

function wordsOf(program: Command): readonly Words[] {
  const help = new Option('--help', 'what it does');
  return program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    options: [...command.options, help].filter(({ long }) => long !== undefined && long !== null),
  }));
}

/** The commands whose first argument is a job. */
const WITH_JOB = ['run', 'check', 'template'];

/** A command that lists the names of the jobs in a folder. */
function jobsIn(folder: string): string {
  return `ls ${folder} 2>/dev/null | sed -n "s/\\.ya*ml$//p"`;
}

function bashScript(commands: readonly Words[]): string {
  const options = commands.map(
    ({ name, options: all }) => `    ${name}) words='${all.map(({ long }) => long).join(' ')}' ;;`,
  );
  return `_onboard() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$word"))
    return
  fi
  case "$command" in
${options.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ; return ;;
  esac
  case "$command" in
    ${WITH_JOB.join('|')}) [ "$COMP_CWORD" -eq 2 ] && COMPREPLY=($(compgen -W "$(${jobsIn(`"\${ONBOARD_JOBS:-jobs}"`)})" -- "$word")) ;;
  esac
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -- "$word"))
}
complete -F _onboard onboard`;
}

function zshScript(commands: readonly Words[]): string {
  return `autoload -U +X compinit && compinit -u
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands).replace('  compopt -o filenames 2>/dev/null\n', '')}`;
}

function fishScript(commands: readonly Words[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return [
    ...commands.map(
      ({ name, about }) =>
        `complete -c onboard -f -n 'not __fish_seen_subcommand_from ${names}' -a ${name} -d ${quoted(about)}`,
    ),
    `complete -c onboard -n '__fish_seen_subcommand_from ${WITH_JOB.join(' ')}' -a '(${jobsIn('(test -n "$ONBOARD_JOBS"; and echo $ONBOARD_JOBS; or echo jobs)')})'`,
    ...commands.flatMap(({ name, options }) =>
      options.map(
        ({ long, description }) =>
          `complete -c onboard -n '__fish_seen_subcommand_from ${name}' -l ${(long ?? '').slice(2)} -d ${quoted(description)}`,
      ),
    ),
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
