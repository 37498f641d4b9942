import { BUILT_IN_COMMANDS, type CommandCompletion } from './command-completion.js'

/**
 * Returns the program that kubectl runs for completions of `kubectl kube-rules`. The program completes commands and
 * options, and with kubectl the names of Nodes, namespaces and Services.
 */
export function createKubectlCompletion(commands: readonly CommandCompletion[]): string {
  const names = [...commands.map(({ name }) => name), ...BUILT_IN_COMMANDS.map(([word]) => word)]
  return `#!/bin/sh
# Completion of kubectl kube-rules: save as kubectl_complete-kube_rules in a directory of PATH, and make it executable.
command=\${1-} word= previous=
for each; do previous=$word word=$each; done
names() { kubectl get "$@" 2>/dev/null; }
candidates() {
  if [ $# -le 1 ]; then printf '%s\\n' ${names.join(' ')}; return; fi
  case $previous in
    --live|--node)
      if [ "$command $previous" != 'doctor --live' ]; then
        names nodes -o 'jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}'; return
      fi ;;
    -n|--namespace) names namespaces -o 'jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}'; return ;;
  esac
  case $command:$word in
${commands.map(optionCase).join('')}    explain:*|doctor:*)
      names services -A -o 'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\\n"}{end}' ;;
  esac
}
candidates "$@" | while read -r candidate; do
  case $candidate in "$word"*) printf '%s\\n' "$candidate" ;; esac
done
echo :4
`
}

function optionCase({ name, options }: CommandCompletion): string {
  const words = Object.keys(options).map((option) => `--${option}`)
  return `    ${name}:-*) printf '%s\\n' ${words.join(' ')} ;;\n`
}
