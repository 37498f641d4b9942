import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { type NodeState, SUBSYSTEMS } from '../dataplane/node-state.js'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { isObject } from '../model/reading/read-field.js'
import { checkChoice, checkObject } from './check-argument.js'
import { STATE_LIST_FIELDS } from './state-list-fields.js'

const PARTS: readonly string[] = ['family', 'coverage', ...SUBSYSTEMS]

const NODE_STATE = 'a node state, such as `state` of a family result or one family of a dump'

/**
 * Checks that an argument, or the part of it at `path`, is a node state: an object that has only a family and
 * subsystems. Without this check, another object with a family, such as a family result, would look like a node without
 * rules.
 */
export function checkState(name: string, value: unknown, path = ''): NodeState {
  const fields = checkObject(name, value, NODE_STATE, path || undefined)
  if (Array.isArray(fields.families)) {
    throw createArgumentError(name, 'a result of compile is not a node state', NODE_STATE, path || undefined)
  }
  if (isObject(fields.state) && isObject(fields.plan)) {
    throw createArgumentError(name, 'a family result is not a node state', 'its field `state`', path || undefined)
  }
  const at = (field: string) => (path === '' ? field : `${path}.${field}`)
  checkChoice(name, fields.family, IP_FAMILIES, at('family'))
  for (const part of Object.keys(fields)) {
    if (!PARTS.includes(part)) {
      throw createArgumentTypeError(name, part, 'a part of a node state', at(part), NODE_STATE)
    }
  }
  for (const subsystem of SUBSYSTEMS) {
    const state = fields[subsystem]
    if (state === undefined || (isObject(state) && STATE_LIST_FIELDS[subsystem] in state)) continue
    const expected = `an object with ${STATE_LIST_FIELDS[subsystem]}`
    throw createArgumentTypeError(name, state, `a state of ${subsystem}`, at(subsystem), expected)
  }
  if (fields.coverage !== undefined && !(isObject(fields.coverage) && Array.isArray(fields.coverage.complete))) {
    throw createArgumentTypeError(name, fields.coverage, 'a valid coverage', at('coverage'), 'an object with complete')
  }
  return fields as unknown as NodeState
}

/** Checks that two states have the same family. */
export function checkSameFamily(
  name: string,
  a: { readonly family: IpFamily },
  b: { readonly family: IpFamily },
): void {
  if (a.family === b.family) return
  throw createArgumentError(name, `${b.family} is not the family of the other state`, a.family, 'family')
}

const DUMP = 'the value of a successful parse of a dump, as a whole'

/**
 * Checks that an argument is a dump. Without this check, a parse result or an individual family would look like an
 * empty node.
 */
export function checkDump(name: string, value: unknown): void {
  if (isObject(value) && isObject(value.value))
    throw createArgumentError(name, 'a parse result is not a dump', 'its field `value`')
  for (const family of IP_FAMILIES) {
    const state = isObject(value) ? value[family] : undefined
    if (!isObject(state) || state.family !== family) {
      throw createArgumentTypeError(name, value, `a dump: it has no ${family}`, family, DUMP)
    }
    checkState(name, state, family)
  }
}

/** Checks that an argument is a dump, like `checkDump`, and also that the dump is not an excerpt. */
export function checkCompleteDump(name: string, value: unknown): void {
  checkDump(name, value)
  for (const family of IP_FAMILIES) {
    const { coverage } = (value as Readonly<Record<IpFamily, NodeState>>)[family]
    if (coverage !== undefined) throw createArgumentError(name, 'the dump is a fragment', DUMP, family)
  }
}
