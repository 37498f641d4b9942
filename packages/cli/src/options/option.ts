/** One option of a command, as data: both the parser and the help text read it. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** The one-letter form, without its dash. */
  readonly short?: string
  /** Whether every occurrence counts, instead of the last one. */
  readonly multiple?: boolean
  /** The only values there are. */
  readonly choices?: readonly string[]
  /** Other words for choices, in lower case; they count in any case. */
  readonly alsoWritten?: Readonly<Record<string, string>>
  /** What stands for the value in the help text; default: the choices. */
  readonly placeholder?: string
  /** For the help text; may have several lines. */
  readonly description: string
}

/** Options by their long name, without dashes. */
export type OptionTable = Readonly<Record<string, Option>>

/** The values of a table's options: an option that is not given is `undefined`, `false` or an empty list. */
export type OptionValues<Table extends OptionTable> = { readonly [Name in keyof Table]: OptionValue<Table[Name]> }

type OptionValue<O extends Option> = O extends { readonly type: 'boolean' }
  ? boolean
  : O extends { readonly multiple: true }
    ? readonly string[]
    : O extends { readonly choices: readonly (infer Choice)[] }
      ? Choice | undefined
      : string | undefined

/** The options of every command. `run-cli.ts` handles `--help`, `report/color.ts` handles `--no-color`. */
export const commonOptions = {
  'no-color': { type: 'boolean', description: 'Never colour anything. So does the environment variable NO_COLOR.' },
  help: { type: 'boolean', short: 'h', description: 'Print this help.' },
} as const satisfies OptionTable

/** The options as lines of a help text: `  -f, --filename FILE   Description.` */
export function describeOptions(options: OptionTable): string {
  const rows = Object.entries(options).map(([name, option]) => [optionWords(name, option), option.description] as const)
  return printColumns(rows)
}

/** Two columns, the second aligned; its further lines are indented. Ends in a line break. */
export function printColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2
  const indent = `\n${' '.repeat(width + 2)}`
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right.replaceAll('\n', indent)}\n`).join('')
}

function optionWords(name: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : '    '
  const value = option.type === 'boolean' ? '' : ` ${option.placeholder ?? option.choices?.join('|') ?? 'VALUE'}`
  return `${short}--${name}${value}`
}
