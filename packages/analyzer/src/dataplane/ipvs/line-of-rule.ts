import { toRealServerCommand, toVirtualServerCommand } from './pasted/listing.js'

/**
 * Returns the index of the line, or listing row, that is equivalent to a command in `ipvsadm -Sn` format; undefined if
 * no line is.
 */
export function lineOfRule(rule: string, lines: readonly string[]): number | undefined {
  if (!/^-[Aa] -/.test(rule)) return undefined
  let server = ''
  const index = lines.findIndex((line) => {
    const own = toVirtualServerCommand(line)
    if (own !== undefined) server = own
    return line === rule || own === rule || (server !== '' && toRealServerCommand(line, server) === rule)
  })
  return index < 0 ? undefined : index
}
