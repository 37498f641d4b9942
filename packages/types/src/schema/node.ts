import type * as z from 'zod/mini'
import type { Node, NodeAddress, NodeSpec, NodeStatus } from '../kubernetes/node.js'
import type { Result } from '../result.js'
import { dnsSubdomainSchema, kindSchema, listSchema, nullish, objectSchema, stringSchema } from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const specSchema = objectSchema<NodeSpec, 'providerID' | 'unschedulable' | 'taints'>({
  podCIDR: nullish(stringSchema),
  podCIDRs: nullish(listSchema(stringSchema)),
})

const addressSchema = objectSchema<NodeAddress>({ type: stringSchema, address: stringSchema })

const statusSchema = objectSchema<NodeStatus, 'nodeInfo'>({ addresses: nullish(listSchema(addressSchema)) })

/** The schema of a Node: its structure and name. The addresses and networks may be any text. */
export const nodeSchema: z.ZodMiniType<Node, Node> = objectSchema<Node>({
  apiVersion: nullish(stringSchema),
  kind: kindSchema('Node'),
  metadata: objectMetaSchema(dnsSubdomainSchema),
  spec: nullish(specSchema),
  status: nullish(statusSchema),
})

/** Validates a Node and returns the same object, or all problems. */
export function safeParseNode(value: unknown): Result<Node> {
  return safeParseWith(nodeSchema, 'Node', value)
}
