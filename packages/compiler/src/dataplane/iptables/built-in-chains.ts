import { createRecord } from '../../internal/create-record.js'
import { HOOK_PRIORITIES, HOOKS } from '../netfilter/hooks.js'
import type { TableName } from './ast.js'

export const TABLE_NAMES: readonly TableName[] = ['raw', 'mangle', 'nat', 'filter', 'security']

/** The built-in chains of each table, in hook order like in the output of the tools. */
export const BUILT_IN_CHAINS: Readonly<Record<TableName, readonly string[]>> = createRecord(TABLE_NAMES, (table) =>
  HOOKS.filter((hook) => Object.hasOwn(HOOK_PRIORITIES[table], hook)),
)

export function isBuiltInChain(table: TableName, chain: string): boolean {
  return BUILT_IN_CHAINS[table].includes(chain)
}
