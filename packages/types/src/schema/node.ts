import type * as z from 'zod/mini'
import type { Node, NodeAddress, NodeSpec, NodeStatus } from '../kubernetes/node.js'
import type { Result } from '../result.js'
import {
  dnsSubdomainSchema,
  kindSchema,
  listSchema,
  nullish,
  type ObjectShape,
  objectSchema,
  stringSchema,
} from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const specSchema = objectSchema({
  podCIDR: nullish(stringSchema),
  podCIDRs: nullish(listSchema(stringSchema)),
} satisfies ObjectShape<NodeSpec>)

const addressSchema = objectSchema({ type: stringSchema, address: stringSchema } satisfies ObjectShape<NodeAddress>)

const statusSchema = objectSchema({ addresses: nullish(listSchema(addressSchema)) } satisfies ObjectShape<NodeStatus>)

/** The schema of a Node: its structure and name. The addresses and networks may be any text. */
export const nodeSchema: z.ZodMiniType<Node, Node> = objectSchema({
  apiVersion: nullish(stringSchema),
  kind: kindSchema('Node'),
  metadata: objectMetaSchema(dnsSubdomainSchema),
  spec: nullish(specSchema),
  status: nullish(statusSchema),
} satisfies ObjectShape<Node>)

/** Validates a Node and returns the same object, or all problems. */
export function safeParseNode(value: unknown): Result<Node> {
  return safeParseWith(nodeSchema, 'Node', value)
}
