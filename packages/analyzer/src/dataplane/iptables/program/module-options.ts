import { unquote } from '@kube-rules/compiler/internal/dataplane/iptables/quote'

/** An option of a match or target with its values, without quotes. */
export interface ModuleOption {
  readonly name: string
  readonly negated: boolean
  readonly values: readonly string[]
}

/** The options of a match or target, each with its number of values. */
export type OptionSyntax = Readonly<Record<string, number>>

/** Splits words into options. Undefined if a word is no option of the syntax, or if a value is missing. */
export function readOptions(words: readonly string[], syntax: OptionSyntax): readonly ModuleOption[] | undefined {
  const options: ModuleOption[] = []
  for (let at = 0; at < words.length; ) {
    const negated = words[at] === '!'
    if (negated) at++
    const name = words[at]
    if (name === undefined || !Object.hasOwn(syntax, name)) return undefined
    const end = at + 1 + (syntax[name] ?? 0)
    if (end > words.length) return undefined
    options.push({ name, negated, values: words.slice(at + 1, end).map(unquote) })
    at = end
  }
  return options
}

/** Returns the first value of an option; undefined if the option is absent or has no value. */
export function findValue(options: readonly ModuleOption[], name: string): string | undefined {
  return findOption(options, name)?.values[0]
}

export function findOption(options: readonly ModuleOption[], name: string): ModuleOption | undefined {
  return options.find((option) => option.name === name)
}

export function hasOption(options: readonly ModuleOption[], name: string): boolean {
  return findOption(options, name) !== undefined
}
