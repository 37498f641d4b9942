/** The number of hues that a reader can distinguish; each service port also has a number. */
const HUES = 18

/**
 * Returns a hue (degrees of a circle) for each service port. The hue depends on the name, so that it remains the same
 * if service ports appear or disappear. If two service ports have the same hue, the later service port gets the next
 * free hue. If no hue is free, service ports share hues.
 */
export function assignHues(servicePorts: readonly string[]): readonly number[] {
  const taken = new Set<number>()
  return servicePorts.map((name) => {
    let slot = hashOf(name) % HUES
    for (let tries = 0; taken.has(slot) && tries < HUES; tries++) slot = (slot + 1) % HUES
    taken.add(slot)
    return Math.round((slot * 360) / HUES)
  })
}

/** Computes the FNV-1a hash. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}
