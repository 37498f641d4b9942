import { type CompileResult, parseDump, verify } from '@kube-rules/compiler'

/** A line for everything that is wrong on a node; `text` is what iptables-save prints there. */
export function findings(desired: CompileResult, text: string): readonly string[] {
  const read = parseDump(text)
  if (!read.ok) return read.errors.map(({ message, frame }) => `${message}\n${frame}`)
  return verify(desired, read.dump).families.flatMap(({ drift, unverified }) => [
    ...unverified.map(({ reason }) => reason),
    ...drift.flatMap((group) => group.drift.map(({ place, reason }) => `${group.servicePort} ${place}: ${reason}`)),
  ])
}
