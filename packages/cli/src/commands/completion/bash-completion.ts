import type { Option } from '../../options/option.js'
import { BUILT_IN_COMMANDS, type CommandCompletion } from './command-completion.js'

/** Returns the completion script for bash. If there is no candidate, bash completes file names. */
export function createBashCompletion(commands: readonly CommandCompletion[]): string {
  const names = commands.map(({ name }) => name)
  return `# Completion of kube-rules for bash: source <(kube-rules completion bash)
_kube_rules() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=
  if ((COMP_CWORD == 1)); then
    words='${[...names, ...BUILT_IN_COMMANDS.map(([word]) => word)].join(' ')}'
  else
    case "\${COMP_WORDS[1]} $previous" in
      'help help') words='${names.join(' ')}' ;;
${commands.flatMap(valueCases).join('')}      *)
        case "\${COMP_WORDS[1]} $word" in
${commands.map(wordCases).join('')}        esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _kube_rules kube-rules
`
}

/**
 * Returns the shell cases for option values. They offer the choices of the option, or file names if the option has no
 * choices.
 */
function valueCases({ name, options }: CommandCompletion): readonly string[] {
  const taking = Object.entries(options).filter(([, { type }]) => type === 'string')
  return taking.map(([option, { choices = [], ...rest }]) => {
    const patterns = optionWords(option, rest).map((word) => `'${name} ${word}'`)
    return `      ${patterns.join(' | ')}) words='${choices.join(' ')}' ;;\n`
  })
}

function wordCases({ name, options, words }: CommandCompletion): string {
  const all = Object.entries(options).flatMap(([option, { short }]) => optionWords(option, { short }))
  const operands = words.length === 0 ? '' : `          '${name} '*) words='${words.join(' ')}' ;;\n`
  return `          '${name} -'*) words='${all.join(' ')}' ;;\n${operands}`
}

function optionWords(name: string, { short }: { readonly short?: Option['short'] | undefined }): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
}
