import type { Option } from '../../options/option.js'
import { BUILT_IN_COMMANDS, type CommandCompletion } from './command-completion.js'

/**
 * Returns the completion script for zsh. Operands, and values of options without choices, are completed as file names.
 */
export function createZshCompletion(commands: readonly CommandCompletion[]): string {
  const described = [...commands.map(({ name, summary }) => [name, summary] as const), ...BUILT_IN_COMMANDS]
  const rows = described.map(([name, summary]) => `    ${quote(`${name}:${summary.replaceAll(':', '\\:')}`)}\n`)
  return `#compdef kube-rules
# Completion of kube-rules for zsh: source <(kube-rules completion zsh), after compinit.
_kube_rules() {
  local -a commands
  commands=(
${rows.join('')}  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  local name=$words[2]
  shift words
  ((CURRENT--))
  case $name in
    help) ((CURRENT == 2)) && _describe -t commands command commands ;;
${commands.map(commandCase).join('')}  esac
}
if [[ $funcstack[1] == _kube_rules ]]; then _kube_rules "$@"; else compdef _kube_rules kube-rules; fi
`
}

function commandCase({ name, options, words }: CommandCompletion): string {
  const specs = Object.entries(options).flatMap(([option, each]) => optionSpecs(option, each))
  const operands = words.length === 0 ? '*:file:_files' : `1:word:(${words.join(' ')})`
  return `    ${name})\n      _arguments -s \\\n${[...specs, quote(operands)].map((spec) => `        ${spec}`).join(' \\\n')} ;;\n`
}

function optionSpecs(
  name: string,
  { short, type, multiple, choices, placeholder, description }: Option,
): readonly string[] {
  const repeats = multiple ? '*' : ''
  const text = firstSentence(description).replace(/[[\]\\]/g, '\\$&')
  const action = choices === undefined ? '_files' : `(${choices.join(' ')})`
  const value = type === 'boolean' ? '' : `:${(placeholder ?? 'value').replaceAll(':', '\\:')}:${action}`
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].map((word) =>
    quote(`${repeats}${word}[${text}]${value}`),
  )
}

function firstSentence(description: string): string {
  const line = description.replaceAll('\n', ' ')
  return /^.*?\.(?= |$)/.exec(line)?.[0] ?? line
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
