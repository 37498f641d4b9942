import type * as z from 'zod/mini'
import type { Node, NodeAddress, NodeSpec, NodeStatus } from '../kubernetes/node.js'
import { dnsSubdomain, kindOf, listOf, nullish, objectOf, type Shape, text } from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { type ParseResult, parseWith, safeParseWith } from './parse-with.js'

const specSchema = objectOf({
  podCIDR: nullish(text),
  podCIDRs: nullish(listOf(text)),
} satisfies Shape<NodeSpec>)

const addressSchema = objectOf({ type: text, address: text } satisfies Shape<NodeAddress>)

const statusSchema = objectOf({ addresses: nullish(listOf(addressSchema)) } satisfies Shape<NodeStatus>)

/** The shape and name of a Node; addresses and networks stay free text. */
export const nodeSchema: z.ZodMiniType<Node, Node> = objectOf({
  apiVersion: nullish(text),
  kind: kindOf('Node'),
  metadata: objectMetaOf(dnsSubdomain),
  spec: nullish(specSchema),
  status: nullish(statusSchema),
} satisfies Shape<Node>)

/** The same object typed as a Node, or every problem it has. */
export function safeParseNode(value: unknown): ParseResult<Node> {
  return safeParseWith(nodeSchema, 'Node', value)
}

/** The same object typed as a Node; throws a {@link DiagnosticsError} with every problem it has. */
export function parseNode(value: unknown): Node {
  return parseWith(nodeSchema, 'Node', value)
}
