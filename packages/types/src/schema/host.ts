import type * as z from 'zod/mini'
import type { Diagnostic } from '../diagnostic.js'
import { findClosestWord } from '../find-closest-word.js'
import type { HostFacts, NetworkInterface } from '../host.js'
import type { Result } from '../result.js'
import {
  booleanSchema,
  listSchema,
  type ObjectShape,
  objectSchema,
  optional,
  portNumberSchema,
  recordSchema,
  stringSchema,
} from './fields.js'
import { safeParseWith } from './parse-with.js'
import { fieldOf, HOST_REFERENCE, isObject } from './untyped.js'

const interfaceShape = {
  name: stringSchema,
  addresses: listSchema(stringSchema),
} satisfies ObjectShape<NetworkInterface>

const hostShape = {
  interfaces: optional(listSchema(objectSchema(interfaceShape))),
  nodeAddresses: optional(listSchema(stringSchema)),
  podCIDRs: optional(listSchema(stringSchema)),
  zone: optional(stringSchema),
  iptablesRandomFully: optional(booleanSchema),
  conntrackTcpBeLiberal: optional(booleanSchema),
  nfacctCounters: optional(booleanSchema),
  proxyPorts: optional(recordSchema(portNumberSchema)),
  hostIP: optional(stringSchema),
} satisfies ObjectShape<HostFacts>

/** The schema of a Host: only its structure. The compiler checks the addresses. */
const hostSchema: z.ZodMiniType<HostFacts, HostFacts> = objectSchema(hostShape)

/**
 * Validates a Host and returns the same object, or all problems. Unknown fields are also problems, because a misspelled
 * field can be the reason for a missing field.
 */
export function safeParseHost(value: unknown): Result<HostFacts> {
  return safeParseWith(hostSchema, 'Host', value, unknownFieldsOf)
}

function unknownFieldsOf(value: unknown): readonly Diagnostic[] {
  const interfaces = fieldOf(value, 'interfaces')
  const entries: readonly unknown[] = Array.isArray(interfaces) ? interfaces : []
  return [
    ...unknownKeys('', value, Object.keys(hostShape)),
    ...entries.flatMap((entry, index) => unknownKeys(`interfaces[${index}].`, entry, Object.keys(interfaceShape))),
  ]
}

function unknownKeys(prefix: string, value: unknown, known: readonly string[]): readonly Diagnostic[] {
  const keys = isObject(value) ? Object.keys(value).filter((key) => !known.includes(key)) : []
  return keys.map((key) => ({
    severity: 'warning',
    code: 'unknownField',
    object: HOST_REFERENCE,
    path: `${prefix}${key}`,
    message: 'unknown field, ignored',
    expected: findClosestWord(key, known),
  }))
}
