/** So many hues are told apart with some certainty; each is also told by a number. */
const HUES = 18

/**
 * A hue (degrees of a circle) for each service port, which follows from its name, so that it stays when others come or go;
 * where two want the same one the later takes the next that is free, as long as there is one.
 */
export function huesOf(servicePorts: readonly string[]): readonly number[] {
  const taken = new Set<number>()
  return servicePorts.map((name) => {
    let slot = hashOf(name) % HUES
    for (let tries = 0; taken.has(slot) && tries < HUES; tries++) slot = (slot + 1) % HUES
    taken.add(slot)
    return Math.round((slot * 360) / HUES)
  })
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}
