import { commonOptions } from '../options/option.js'
import type { Command } from './command.js'

/** Creates the command that prints shell completion scripts for the given commands and for itself. */
export function createCompletionCommand(others: readonly Command[]): Command {
  const command: Command = {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or kubectl.',
    usage: 'completion bash|zsh|kubectl',
    description:
      'Prints a script that makes bash or zsh complete commands, options and their values, or the\n' +
      'program with which kubectl completes kubectl kube-rules.',
    options: async () => commonOptions,
    examples: [
      'source <(kube-rules completion bash)   # in ~/.bashrc',
      'source <(kube-rules completion zsh)    # in ~/.zshrc, after compinit',
      'kube-rules completion kubectl > ~/bin/kubectl_complete-kube_rules',
    ],
    exitCodes: [['0', 'The script was printed.']],
    run: async (context) =>
      (await import('./completion/run-completion.js')).runCompletion(context, [...others, command]),
  }
  return command
}
