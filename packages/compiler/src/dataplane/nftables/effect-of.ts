import type { LineEffect } from '../live-language.js'

/**
 * What a rule does with packets, or an element of a map with those that fit its key, which is given behind the name of its map
 * (`no-endpoint-services 10.96.0.1 . tcp . 80 : drop`).
 */
export function effectOf(line: string): LineEffect {
  const isElement = / : [^{}]+$/.test(line)
  return {
    refuses: isElement ? / : (?:drop|goto reject-chain)$/.test(line) : /(?:^| )(?:drop|reject)$/.test(line),
    sendsTo: isElement ? [] : destinationsOf(line),
    takesNoMore: false,
    rule: isElement ? line.slice(line.indexOf(' ') + 1) : line,
  }
}

/** `dnat to 10.0.0.1:80`, `dnat ip addr . port to numgen random mod 2 map { 0 : 10.0.0.1 . 80, 1 : 10.0.0.2 . 80 }`. */
function destinationsOf(line: string): readonly string[] {
  const [, one] = / dnat to (\S+)$/.exec(line) ?? []
  if (one !== undefined) return [one]
  const [, all = ''] = / dnat \S+ addr \. port to numgen .* map \{ (.*) \}$/.exec(line) ?? []
  return [...all.matchAll(/\d+ : (\S+) \. (\d+)/g)].map(([, address = '', port]) =>
    address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
  )
}
