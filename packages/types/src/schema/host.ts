import type { z } from 'zod'
import type { Host, NetworkInterface } from '../host.js'
import { flag, listOf, objectOf, type Shape, text } from './fields.js'
import { type ParseResult, parseWith, safeParseWith } from './parse-with.js'

const interfaceSchema = objectOf({ name: text, addresses: listOf(text) } satisfies Shape<NetworkInterface>)

/** The shape of a Host; whether its addresses can be read is decided where it is compiled. */
export const hostSchema: z.ZodType<Host, Host> = objectOf({
  interfaces: listOf(interfaceSchema).optional(),
  iptablesRandomFully: flag.optional(),
  conntrackTcpBeLiberal: flag.optional(),
  nfacctCounters: flag.optional(),
} satisfies Shape<Host>)

/** The same object typed as a Host, or every problem it has. */
export function safeParseHost(value: unknown): ParseResult<Host> {
  return safeParseWith(hostSchema, 'Host', value)
}

/** The same object typed as a Host; throws a {@link DiagnosticsError} with every problem it has. */
export function parseHost(value: unknown): Host {
  return parseWith(hostSchema, 'Host', value)
}
