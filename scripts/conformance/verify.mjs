import { dumpOf, inOrderOf } from './dump.mjs'

/**
 * Verifies the library's result of a step against the reference state after it, as a dump. `tables` are those of the
 * result, in the structure of a step's `expected`.
 * @returns a line for each drift item, and for each part that the library could not verify
 */
export function verifyProblems(library, { ipFamily }, { expected, expectedOneOf = [expected] }, result, tables) {
  const found = expectedOneOf.map((one) => problemsWith(library, ipFamily, one, result, tables))
  return found.reduce((best, each) => (each.length < best.length ? each : best))
}

function problemsWith(library, ipFamily, expected, result, tables) {
  const read = library.parseDump(dumpOf({ ...expected, tables: inOrderOf(tables, expected.tables) }, ipFamily))
  if (!read.ok) return read.problems.map(({ message, excerpt }) => `the reference's dump: ${message}\n${excerpt}`)
  return library
    .verify(result, read.value)
    .families.filter(({ family }) => family === ipFamily)
    .flatMap(({ family, drift, unverified, repair }) => [
      ...drift.flatMap((group) => group.drift.map((each) => driftLine(group.servicePort, each))),
      ...unverified
        .filter(({ part }) => hasPart(expected, part))
        .map(({ part }) => `${family} ${part} is not verified`),
      ...repair.map(({ purpose }) => `a run for nothing: ${purpose}`),
    ])
}

/** Reports whether a part has output, because an empty part cannot be verified. */
function hasPart({ virtualServers, boundAddresses }, part) {
  if (part === 'ipvs') return virtualServers?.length > 0
  return part !== 'addresses' || boundAddresses?.length > 0
}

function driftLine(servicePort, { kind, location, expected, found, reason }) {
  return `verify: ${servicePort} ${location} ${kind}: ${reason}\n    want ${expected}\n    got  ${found}`
}
