import type { Features } from '../configuration/features.js'
import { addError, describe, type Findings } from '../reading/findings.js'
import { isAbsent, isObject } from '../reading/json-value.js'

/** For which zones and nodes an endpoint is meant; empty lists where it is meant for all. */
export interface Hints {
  readonly zones: readonly string[]
  readonly nodes: readonly string[]
}

const NO_NAMES: readonly string[] = Object.freeze([])
const NO_HINTS: Hints = Object.freeze({ zones: NO_NAMES, nodes: NO_NAMES })

/** Reads `endpoints[index].hints`. Node hints count only where the version knows them. */
export function readHints(findings: Findings, index: number, value: unknown, features: Features): Hints {
  if (isAbsent(value)) return NO_HINTS
  if (isObject(value)) {
    const zones = readNames(findings, index, 'forZones', value.forZones)
    return { zones, nodes: features.nodeHints ? readNames(findings, index, 'forNodes', value.forNodes) : NO_NAMES }
  }
  addError(findings, 'invalidType', `endpoints[${index}].hints`, `${describe(value)} is not an object`, 'an object')
  return NO_HINTS
}

function readNames(findings: Findings, index: number, field: string, value: unknown): readonly string[] {
  if (isAbsent(value)) return NO_NAMES
  const names = Array.isArray(value) ? value.map(nameOf) : [undefined]
  if (names.every(isText)) return names.length === 0 ? NO_NAMES : names
  const path = `endpoints[${index}].hints.${field}`
  addError(findings, 'invalidType', path, `${describe(value)} is not a list of names`, 'a list of objects with a name')
  return NO_NAMES
}

function nameOf(item: unknown): unknown {
  return isObject(item) ? item.name : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
