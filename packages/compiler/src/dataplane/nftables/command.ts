import type { ChainDefinition, Element, NamedObject, Rule, SetDefinition, TableFamily } from './ast.js'

/** One command of a transaction, in the form that `nft -f -` reads. */
export type NftCommand =
  | FlushRulesetCommand
  | TableCommand
  | ChainCommand
  | SetCommand
  | ElementCommand
  | RuleCommand
  | ObjectCommand

/** The verb that adds an object. `create` is like `add`, but fails if the object exists. */
export type AdditionVerb = 'add' | 'create'
/** The verb that removes an object. `destroy` is like `delete`, but succeeds if the object is missing. */
export type RemovalVerb = 'delete' | 'destroy'

/** Removes all tables. */
export interface FlushRulesetCommand {
  /** What it does. */
  readonly verb: 'flush'
  /** The object: the whole ruleset, or all tables of `family`. */
  readonly object: 'ruleset'
  /** The table family. If absent, every table family. */
  readonly family?: TableFamily | undefined
}

/** The table of a command. */
export interface CommandTable {
  /** The table family. */
  readonly family: TableFamily
  /** The name of the table. */
  readonly table: string
}

/** A command about a table. */
export type TableCommand =
  | (CommandTable & {
      readonly verb: AdditionVerb
      readonly object: 'table'
      readonly comment?: string | undefined
      readonly flags?: readonly string[] | undefined
    })
  | (CommandTable & { readonly verb: RemovalVerb | 'flush'; readonly object: 'table' })

/** A command about a chain. */
export type ChainCommand =
  | (CommandTable & { readonly verb: AdditionVerb; readonly object: 'chain'; readonly chain: ChainDefinition })
  | (CommandTable & { readonly verb: RemovalVerb | 'flush'; readonly object: 'chain'; readonly name: string })

/** A command about a set or a map. `set.kind` or `kind` distinguishes sets and maps. */
export type SetCommand =
  | (CommandTable & {
      readonly verb: AdditionVerb
      readonly object: 'set'
      readonly set: SetDefinition
      /** Elements of the definition. */
      readonly elements?: readonly Element[] | undefined
    })
  | (CommandTable & {
      readonly verb: RemovalVerb | 'flush'
      readonly object: 'set'
      readonly kind: 'set' | 'map'
      readonly name: string
    })

/** A command about elements of a set. */
export interface ElementCommand extends CommandTable {
  /** What it does. */
  readonly verb: AdditionVerb | RemovalVerb
  /** The kind of object that the command is about. */
  readonly object: 'element'
  /** The set or map. */
  readonly set: string
  /** The elements. */
  readonly elements: readonly Element[]
}

/** A command about a rule. */
export type RuleCommand =
  | (CommandTable & {
      readonly verb: 'add' | 'insert'
      readonly object: 'rule'
      readonly chain: string
      readonly rule: Rule
      /**
       * The handle of an existing rule. The new rule is added after it or inserted before it. If absent, `add` appends
       * the rule to the chain, and `insert` puts it at the beginning.
       */
      readonly beside?: number | undefined
    })
  | (CommandTable & {
      readonly verb: 'replace'
      readonly object: 'rule'
      readonly chain: string
      readonly handle: number
      readonly rule: Rule
    })
  | (CommandTable & {
      readonly verb: RemovalVerb
      readonly object: 'rule'
      readonly chain: string
      readonly handle: number
    })

/**
 * A command about a named object that has no other command type here, such as a counter, quota or flowtable. `type` is
 * the keyword of the object and may consist of several words.
 */
export type ObjectCommand =
  | (CommandTable & { readonly verb: AdditionVerb; readonly object: 'named'; readonly definition: NamedObject })
  | (CommandTable & {
      readonly verb: RemovalVerb
      readonly object: 'named'
      readonly type: string
      readonly name: string
    })
