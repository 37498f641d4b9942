import { realServerCommand, virtualServerCommand } from './pasted/listing.js'

/** The index of the line that says what a command of `ipvsadm -Sn` says, or the row of a listing; undefined where none does. */
export function lineOfRule(rule: string, lines: readonly string[]): number | undefined {
  if (!/^-[Aa] -/.test(rule)) return undefined
  let server = ''
  const index = lines.findIndex((line) => {
    const own = virtualServerCommand(line)
    if (own !== undefined) server = own
    return line === rule || own === rule || (server !== '' && realServerCommand(line, server) === rule)
  })
  return index < 0 ? undefined : index
}
