/** One option of a command, as data for the parser and the help text. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** The one-letter form, without its dash. */
  readonly short?: string
  /** Whether every occurrence of the option counts, and not only the last occurrence. */
  readonly multiple?: boolean
  /** The permitted values. */
  readonly choices?: readonly string[]
  /** Alternative names of the choices, in lower case. They are matched case-insensitively. */
  readonly alsoWritten?: Readonly<Record<string, string>>
  /** The placeholder for the value in the help text. Without it, the help text shows the choices. */
  readonly placeholder?: string
  /** The description for the help text; may have several lines. */
  readonly description: string
}

/** Options by their long name, without dashes. */
export type OptionTable = Readonly<Record<string, Option>>

/**
 * The values of the options in a table, by option name in camel case. The value of an absent option is `undefined`,
 * `false` or an empty list.
 */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table as Name extends string ? CamelCase<Name> : never]: OptionValue<Table[Name]>
}

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** Returns the name of an option in camel case: `kubernetesVersion` for `kubernetes-version`. */
export function toCamelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

type OptionValue<O extends Option> = O extends { readonly type: 'boolean' }
  ? boolean
  : O extends { readonly multiple: true }
    ? readonly string[]
    : O extends { readonly choices: readonly (infer Choice)[] }
      ? Choice | undefined
      : string | undefined

/** Options of every command. `run-cli.ts` handles `--help`, `report.ts` handles `--no-color`. */
export const commonOptions = {
  'no-color': { type: 'boolean', description: 'Disable colors, like the environment variable NO_COLOR.' },
  help: { type: 'boolean', short: 'h', description: 'Print this help.' },
} as const satisfies OptionTable

/** Formats the options as lines of a help text: `  -f, --filename FILE   Description.` */
export function describeOptions(options: OptionTable): string {
  const rows = Object.entries(options).map(([name, option]) => [optionWords(name, option), option.description] as const)
  return formatTable(rows)
}

/** Prints two aligned columns. Further lines of the second column are indented. Ends in a line break. */
export function formatTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2
  const indent = `\n${' '.repeat(width + 2)}`
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right.replaceAll('\n', indent)}\n`).join('')
}

function optionWords(name: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : '    '
  const value = option.type === 'boolean' ? '' : ` ${option.placeholder ?? option.choices?.join('|') ?? 'VALUE'}`
  return `${short}--${name}${value}`
}
