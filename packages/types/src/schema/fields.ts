import * as z from 'zod/mini'

/**
 * One schema per field of T that affects rules. A missing, surplus or mistyped field is a compile error. The fields
 * `Unchecked` are declared for those who write literals; they may have any value.
 */
export type ObjectShape<T, Unchecked extends keyof T = never> = {
  readonly [K in Exclude<keyof T, Unchecked>]-?: z.ZodMiniType<T[K], T[K]>
}

/**
 * Builds an object schema. Every error message is `expected …`, because the text becomes `Diagnostic.expected`. Unknown
 * and unchecked fields pass through, and class instances of the Kubernetes clients are valid.
 */
export function objectSchema<T, Unchecked extends keyof T = never>(
  shape: ObjectShape<T, Unchecked>,
): z.ZodMiniType<T, T> {
  const schema: z.ZodMiniType = z.looseObject({ ...shape }, 'expected an object')
  return schema as z.ZodMiniType<T, T>
}

export function listSchema<T>(item: z.ZodMiniType<T, T>): z.ZodMiniType<readonly T[], readonly T[]> {
  return z.array(item, 'expected a list')
}

export function recordSchema<T>(value: z.ZodMiniType<T, T>): z.ZodMiniType<Record<string, T>, Record<string, T>> {
  return z.record(z.string(), value, 'expected an object')
}

export function boundedIntegerSchema(minimum: number, maximum: number): z.ZodMiniType<number, number> {
  const expected = `expected a whole number from ${minimum} to ${maximum}`
  return z.int(expected).check(z.gte(minimum, expected), z.lte(maximum, expected))
}

export function kindSchema<K extends string>(kind: K): z.ZodMiniType<K | null | undefined, K | null | undefined> {
  return nullish(z.literal(kind, `expected ${kind}`))
}

export function nullish<T>(schema: z.ZodMiniType<T, T>): z.ZodMiniType<T | null | undefined, T | null | undefined> {
  return z.nullish(schema)
}

export function optional<T>(schema: z.ZodMiniType<T, T>): z.ZodMiniType<T | undefined, T | undefined> {
  return z.optional(schema)
}

export const stringSchema: z.ZodMiniType<string, string> = z.string('expected a string')

export const booleanSchema: z.ZodMiniType<boolean, boolean> = z.boolean('expected true or false')

export const numberSchema: z.ZodMiniType<number, number> = z.number('expected a number')

export const integerSchema: z.ZodMiniType<number, number> = z.int('expected a whole number')

export const portNumberSchema: z.ZodMiniType<number, number> = boundedIntegerSchema(1, 65535)

/** A port number or 0. In node ports and in the ports of endpoints, 0 means that there is no port. */
export const portNumberOrZeroSchema: z.ZodMiniType<number, number> = boundedIntegerSchema(0, 65535)

/** The protocol. Default: TCP. */
export const protocolSchema: z.ZodMiniType<string, string> = z.enum(['TCP', 'UDP', 'SCTP'], 'expected TCP, UDP or SCTP')

/** A DNS label of at most 63 characters (RFC 1123), as the API server requires. */
export const dnsLabelSchema: z.ZodMiniType<string, string> = dnsName(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/, 63, 'label')

/** A DNS label or an empty text, which means an unnamed port or an object without a namespace. */
export const dnsLabelOrEmptySchema: z.ZodMiniType<string, string> = dnsName(
  /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)?$/,
  63,
  'label',
)

/** A DNS subdomain of at most 253 characters, as the API server requires. */
export const dnsSubdomainSchema: z.ZodMiniType<string, string> = dnsName(
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  253,
  'subdomain',
)

function dnsName(pattern: RegExp, maximum: number, word: string): z.ZodMiniType<string, string> {
  const expected = `expected a DNS ${word} of at most ${maximum} characters: lower case letters, digits and '-'`
  // All conditions are one custom check, because zod's `max` also checks the length of values that are not strings.
  // `max` throws if this length is not a number.
  return z.string(expected).check(z.refine((name) => name.length <= maximum && pattern.test(name), expected))
}
