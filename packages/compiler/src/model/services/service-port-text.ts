/**
 * `default/web:http/TCP`: tells a service port from every other one, and is what people read. Blocks of rules, findings and
 * steps of a trace name their owner so. Takes a `ServicePortId`, or what was read back of one.
 */
export function servicePortText({ text, protocol }: { readonly text: string; readonly protocol: string }): string {
  return [text, protocol].join('/')
}
