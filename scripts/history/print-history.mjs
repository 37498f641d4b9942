// Prints docs/explanation/history.md: the rules of one Service in every version in which they change.
import { descriptionsOf } from './feature-descriptions.mjs'

const MODES = ['iptables', 'ipvs', 'nftables']

/** The versions in which a feature gate enables nftables mode. */
const GATED = ['1.29', '1.30']

/**
 * Prints the page. `library` has `compile`, `findRuleChanges`, `print` and `versionsOf`; `input` is the cluster, `yaml` its text, and `source` the text of features.ts.
 */
export function printHistory(library, input, yaml, source) {
  const descriptions = descriptionsOf(source)
  const sections = MODES.map((mode) => printMode(library, input, mode, descriptions))
  return `# History of kube-proxy's rules

This page shows the rules of one Service on one node, in each version of kube-proxy that changes these rules. For the first version of a
mode, the page shows all rules. For later versions, it shows only the difference: removed lines start with \`-\`, and added lines start with
\`+\`. The list above each difference describes its causes. [Upgrade a cluster](../how-to/upgrade.md) shows how to find the packets of your
Services that a new version affects.

\`pnpm history\` generates this page. The Service has policy Local, source ranges, and two endpoints, one of them on this node:

\`\`\`yaml
${yaml}\`\`\`

${sections.join('\n')}`
}

function printMode(library, input, mode, descriptions) {
  const versions = library.versionsOf(mode).map((version) => versionOf(library, input, mode, version))
  const [first, ...later] = versions
  const parts = later.flatMap((version, index) => printChange(library, mode, versions[index], version, descriptions))
  return `## ${mode} mode\n\n### ${first.version}\n\n${fenced('', first.lines)}\n${parts.join('\n')}`
}

function inputOf(input, mode, version) {
  if (mode !== 'nftables' || !GATED.includes(version)) return input
  return { ...input, configuration: { ...input.configuration, featureGates: { NFTablesProxyMode: true } } }
}

function versionOf(library, given, mode, version) {
  const input = inputOf(given, mode, version)
  const result = library.compile(input, { ...optionsOf(mode), kubernetesVersion: version })
  return { version, input, lines: linesOf(library, result) }
}

function optionsOf(mode) {
  return { mode, nodeName: 'node-1', families: ['IPv4'] }
}

function linesOf({ print }, { families: [{ state }] }) {
  return print(state).trimEnd().split('\n')
}

/** Returns the section of a version; empty if its rules are equal to those of the previous version. */
function printChange(library, mode, previous, next, descriptions) {
  const changes = changedLines(previous.lines, next.lines)
  if (changes.length === 0) return []
  const features = library.findRuleChanges(previous.input, optionsOf(mode), [previous.version, next.version])
  const added = features.filter(({ isAdded }) => isAdded)
  const removed = features.filter(({ isAdded }) => !isAdded)
  const lists = [
    printFeatures(`From ${next.version} on:`, added, descriptions),
    printFeatures(`Only before ${next.version}:`, removed, descriptions),
  ]
  return [`### ${next.version}\n\n${lists.join('')}${fenced('diff', changes)}`]
}

function printFeatures(heading, changes, descriptions) {
  if (changes.length === 0) return ''
  const items = changes.map(({ feature }) => `- ${descriptions.get(feature)} (\`${feature}\`)\n`)
  return `${heading}\n\n${items.join('')}\n`
}

function fenced(language, lines) {
  return `\`\`\`${language}\n${lines.join('\n')}\n\`\`\`\n`
}

/** Returns the removed and added lines, by the longest common subsequence. */
export function changedLines(previous, next) {
  const lengths = Array.from({ length: previous.length + 1 }, () => new Uint16Array(next.length + 1))
  for (let i = previous.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--) {
      lengths[i][j] =
        previous[i] === next[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1])
    }
  }
  const changes = []
  let [i, j] = [0, 0]
  while (i < previous.length || j < next.length) {
    if (i < previous.length && j < next.length && previous[i] === next[j]) [i, j] = [i + 1, j + 1]
    else if (j === next.length || (i < previous.length && lengths[i + 1][j] >= lengths[i][j + 1]))
      changes.push(`-${previous[i++]}`)
    else changes.push(`+${next[j++]}`)
  }
  return changes
}
