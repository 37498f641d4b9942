import type { Packet } from '@kube-rules/types'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import { print } from '../../../compiler/src/print/print.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import type { Diagnosis } from '../../src/diagnose/diagnosis.js'
import { createExampleSource } from '../../src/explain/example-source.js'
import { createSourceContext, explain } from '../../src/explain/explain.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'

/** A question about a packet on a node, as a user asks it. */
export interface PacketQuestion {
  readonly input: CompileInput
  readonly options?: CompileOptions | undefined
  /** The destination, such as `10.96.0.1:80`. */
  readonly to: string
  readonly from: Packet['origin']
  /** The source address; by default an example for `from`. */
  readonly source?: string
  readonly protocol?: Packet['protocol'] | undefined
  /** Changes the printed rules of kube-proxy to the dump of the node. By default, there is no dump. */
  readonly dump?: ((rules: string) => string) | undefined
  /** The addresses of the node; by default those of its Node object. */
  readonly addresses?: readonly string[] | undefined
}

/** Returns the diagnoses that `kube-rules explain` prints for an IPv4 packet. */
export function diagnoseQuestion(question: PacketQuestion): readonly Diagnosis[] {
  const { input, to, from, protocol = 'TCP', dump } = question
  const options: CompileOptions = { nodeName: 'node-1', families: ['IPv4'], ...question.options }
  const result = compile(input, options)
  const [family] = result.families
  if (family === undefined) throw new Error('IPv4 was not compiled')
  const { plan, state: compiled } = family
  const state =
    dump === undefined
      ? compiled
      : annotateOwners(readDump(dump(print(compiled, { format: 'save' })), { lenient: true }).IPv4, compiled)
  const traceContext = { ...traceContextFor(plan), ...(question.addresses && { addresses: question.addresses }) }
  const example = createExampleSource(from, createSourceContext(state, traceContext, plan))
  if (example === undefined) throw new Error('the source of the packet is unknown')
  const sender = { ...example, ...(question.source !== undefined && { source: question.source }) }
  const [destination = '', port] = to.split(':')
  const packet: Packet = { ...sender, protocol, destination, destinationPort: Number(port) }
  const { nodes, services } = input
  const explanation = explain(state, packet, {
    plan,
    compiled,
    nodes: [...(nodes as [])],
    services: services as [],
    ...traceContext,
  })
  return diagnosePacket(explanation, state, { result, from: { input, options }, ...traceContext })
}

/** Returns the only diagnosis for a packet. */
export function diagnoseOnly(question: PacketQuestion): Diagnosis {
  const [diagnosis, ...others] = diagnoseQuestion(question)
  if (diagnosis === undefined || others.length > 0) {
    throw new Error(`expected one diagnosis, but there are ${others.length + (diagnosis === undefined ? 0 : 1)}`)
  }
  return diagnosis
}

/** A question about a packet and a dump without objects, as people post them. */
export interface DumpQuestion {
  readonly dump: string
  readonly to: string
  readonly protocol?: Packet['protocol']
  readonly from?: Packet['origin']
  /** The source address; by default an example for `from`. */
  readonly source?: string
  readonly addresses?: readonly string[] | undefined
  /** Whether the dump is a part of a node, as people paste it. */
  readonly lenient?: boolean | undefined
}

/** Returns the diagnoses that `kube-rules explain --dump` prints for an IPv4 packet. */
export function diagnoseDump({
  dump,
  to,
  protocol = 'TCP',
  from = 'pod',
  source,
  addresses,
  lenient,
}: DumpQuestion): readonly Diagnosis[] {
  const state = annotateOwners(readDump(dump, { lenient }).IPv4)
  const sender = createExampleSource(from, createSourceContext(state, { addresses }))
  if (sender === undefined) throw new Error('the source of the packet is unknown')
  const [destination = '', port] = to.split(':')
  const packet: Packet = {
    ...sender,
    ...(source !== undefined && { source }),
    protocol,
    destination,
    destinationPort: Number(port),
  }
  return diagnosePacket(explain(state, packet, { addresses }), state, { addresses })
}
