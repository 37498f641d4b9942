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
