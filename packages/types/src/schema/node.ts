import type * as z from 'zod/mini'
import type { Node, NodeAddress, NodeSpec, NodeStatus } from '../kubernetes/node.js'
import type { Result } from '../result.js'
import { type AddressTemplate, dnsSubdomain, kindOf, listOf, nullish, objectOf, text } from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { parseWith, safeParseWith } from './parse-with.js'

const specSchema = objectOf({
  podCIDR: nullish(text),
  podCIDRs: nullish(listOf(text)),
} satisfies AddressTemplate<NodeSpec>)

const addressSchema = objectOf({ type: text, address: text } satisfies AddressTemplate<NodeAddress>)

const statusSchema = objectOf({ addresses: nullish(listOf(addressSchema)) } satisfies AddressTemplate<NodeStatus>)

/** The structure and name of a Node. Addresses and networks are free text. */
export const nodeSchema: z.ZodMiniType<Node, Node> = objectOf({
  apiVersion: nullish(text),
  kind: kindOf('Node'),
  metadata: objectMetaOf(dnsSubdomain),
  spec: nullish(specSchema),
  status: nullish(statusSchema),
} satisfies AddressTemplate<Node>)

/** Validates a Node and returns the same object, or all problems. */
export function safeParseNode(value: unknown): Result<Node> {
  return safeParseWith(nodeSchema, 'Node', value)
}

/**
 * Validates a Node and returns the same object.
 *
 * @throws a {@link DiagnosticsError} with all problems.
 */
export function parseNode(value: unknown): Node {
  return parseWith(nodeSchema, 'Node', value)
}
