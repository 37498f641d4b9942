import type { Backend, Spelling } from './dataplane/language.js'
import { languageOf, languagesIn } from './dataplane/language-of.js'
import type { LanguageName, NodeState } from './dataplane/languages.js'

export interface PrintStateOptions {
  /** The only language to print. Default: every language of which the state has something. */
  readonly language?: LanguageName | undefined
  /**
   * `restore` (default): what a tool is fed, such as `iptables-restore --noflush`, `ipset restore -exist`, `ipvsadm -R` and
   * `ip -force -batch -`. `save`: what it prints once the kernel holds the state, such as `iptables-save` without its `#`
   * lines, `ipset -sorted save` and `ipvsadm -Sn`. `listing`: what `ipvsadm -Ln` prints. A language that has no such
   * spelling is printed for its tool.
   */
  readonly spelling?: Spelling | undefined
  /** Whose `iptables-save`, where the two differ. Default `nft`. */
  readonly backend?: Backend | undefined
}

/**
 * The text of a state, in whole lines; empty for one of nothing. IPv6 tables are for `ip6tables-restore`. Of several
 * languages it is all, in the order in which they are to be applied, each under a line with its name, such as `# ipset`.
 */
export function print(state: NodeState, options: PrintStateOptions = {}): string {
  const { language, spelling = 'restore', backend = 'nft' } = options
  const names = languagesIn(state)
  const textOf = (name: LanguageName): string => {
    const { spellings, print: printState } = languageOf(name)
    const known = spellings.includes(spelling) ? spelling : (spellings[0] ?? 'restore')
    return state[name] === undefined ? '' : printState(state[name], { spelling: known, backend })
  }
  if (language !== undefined) return textOf(language)
  if (names.length === 1) return names.map(textOf).join('')
  return names.map((name) => `# ${name}\n${textOf(name)}`).join('')
}
