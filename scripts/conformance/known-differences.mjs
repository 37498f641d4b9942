/**
 * Separates the differing steps that are known, or whose case shows the reason, from all others.
 * @param tallies the result of `runCases`
 * @param known the entries `{ case, step, reason }` of known-differences.json
 * @returns `unknown`: per mode and version the other differences, if there are any; `explained`: the steps that differ
 *   and their reasons; `outdated`: known steps of cases that were run, and agree
 */
export function splitByKnown(tallies, known) {
  const isKnown = ({ name, step, reason }) =>
    reason !== undefined || known.some((entry) => entry.case === name && entry.step === step)
  const all = [...tallies.values()].flatMap(({ differences }) => differences)
  const differs = (entry) => all.some(({ name, step }) => entry.case === name && entry.step === step)
  const ran = new Set([...tallies.values()].flatMap(({ cases }) => [...cases]))
  return {
    unknown: [...tallies.values()]
      .map(({ differences }) => differences.filter((difference) => !isKnown(difference)))
      .filter((differences) => differences.length > 0),
    explained: [
      ...known.filter(differs),
      ...all.flatMap(({ name, step, reason }) => (reason === undefined ? [] : [{ case: name, step, reason }])),
    ],
    outdated: known.filter((entry) => ran.has(entry.case) && !differs(entry)),
  }
}
