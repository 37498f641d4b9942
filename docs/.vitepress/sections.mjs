import { fileURLToPath } from 'node:url'
import { ENTRY_POINTS } from '../../scripts/api/entry-points.mjs'
import { readCases } from '../../scripts/troubleshooting/read-cases.mjs'

const CASES = readCases(fileURLToPath(new URL('../../fixtures', import.meta.url)))

/** The navigation of the site: every page of docs/, by section. Generated pages of the API are below their overview. */
export const SECTIONS = [
  {
    text: 'Tutorials',
    pages: [
      { text: 'First rules', link: '/tutorials/first-rules' },
      { text: 'Diagnose a node', link: '/tutorials/diagnose-a-node' },
      { text: 'Review a pull request', link: '/tutorials/review-a-pull-request' },
      { text: 'Move from iptables to nftables', link: '/tutorials/move-to-nftables' },
      { text: 'Build a proxy', link: '/tutorials/build-a-proxy' },
      { text: 'Test your rules', link: '/tutorials/test-your-rules' },
    ],
  },
  {
    text: 'How to',
    pages: [
      { text: 'A Service fails on one node', link: '/how-to/service-fails' },
      { text: 'Verify a node', link: '/how-to/verify-a-node' },
      { text: 'Read a live cluster', link: '/how-to/read-a-live-cluster' },
      { text: 'Trace packets', link: '/how-to/trace-packets' },
      { text: 'Compare rulesets', link: '/how-to/compare' },
      { text: 'Comment on pull requests', link: '/how-to/comment-on-pull-requests' },
      { text: 'Test manifests in CI', link: '/how-to/test-manifests' },
      { text: 'Upgrade a cluster', link: '/how-to/upgrade' },
      { text: 'Move a cluster to nftables', link: '/how-to/move-a-cluster-to-nftables' },
      // From here on, for programmers.
      { text: 'Update a node', link: '/how-to/update-a-node' },
      { text: 'Recover a node', link: '/how-to/recover-a-node' },
      { text: 'Compile many nodes', link: '/how-to/many-nodes' },
      { text: 'Run as a proxy', link: '/how-to/run-as-proxy' },
      { text: 'Monitor the proxy', link: '/how-to/monitor-the-proxy' },
    ],
  },
  {
    text: 'Troubleshooting',
    pages: [
      {
        text: 'Problems by symptom',
        link: '/troubleshooting/cases',
        collapsed: true,
        items: CASES.map(({ title, page }) => ({ text: title, link: `/troubleshooting/cases/${page}` })),
      },
      { text: 'kube-rules itself', link: '/troubleshooting/kube-rules-itself' },
    ],
  },
  {
    text: 'Reference',
    pages: [
      { text: 'Library', link: '/reference/library' },
      {
        text: 'API',
        link: '/reference/api',
        collapsed: true,
        items: ENTRY_POINTS.map(({ name, report }) => ({ text: name, link: `/reference/api/${report}` })),
      },
      { text: 'Command', link: '/reference/cli' },
      { text: 'kube-rules print', link: '/reference/cli/print' },
      { text: 'kube-rules diff', link: '/reference/cli/diff' },
      { text: 'kube-rules verify', link: '/reference/cli/verify' },
      { text: 'kube-rules explain', link: '/reference/cli/explain' },
      { text: 'kube-rules compare', link: '/reference/cli/compare' },
      { text: 'kube-rules doctor', link: '/reference/cli/doctor' },
      { text: 'kube-rules prove', link: '/reference/cli/prove' },
      { text: 'kube-rules collect', link: '/reference/cli/collect' },
      { text: 'kube-rules completion', link: '/reference/cli/completion' },
      { text: 'Assumed values', link: '/reference/assumed-values' },
      { text: 'Reading a diagnosis', link: '/reference/reading-a-diagnosis' },
      { text: 'Diagnoses', link: '/reference/diagnoses' },
      { text: 'Neighbors', link: '/reference/neighbors' },
      { text: 'Diagnostics', link: '/reference/diagnostics' },
      { text: 'Partial dumps', link: '/reference/partial-dumps' },
      { text: 'Parse problems', link: '/reference/problems' },
      { text: 'Views', link: '/reference/views' },
      { text: 'Comparisons', link: '/reference/comparisons' },
      { text: 'Drift', link: '/reference/drift' },
      { text: 'Update commands', link: '/reference/update-commands' },
      { text: 'Ownership', link: '/reference/ownership' },
      { text: 'Limitations', link: '/reference/limitations' },
      { text: 'Packet semantics of iptables', link: '/reference/packet-semantics/iptables' },
      { text: 'Packet semantics of nftables', link: '/reference/packet-semantics/nftables' },
      { text: 'Versions of kube-proxy', link: '/reference/versions' },
      { text: 'Compatibility', link: '/reference/compatibility' },
      { text: 'Versioning', link: '/reference/versioning' },
      { text: 'The node proxy', link: '/reference/node-proxy' },
      { text: 'Figures of the node proxy', link: '/reference/node-proxy-figures' },
      { text: 'Performance', link: '/reference/performance' },
      { text: 'Words of the rules', link: '/reference/rule-words' },
      { text: 'Glossary', link: '/reference/glossary' },
    ],
  },
  {
    text: 'Explanation',
    pages: [
      { text: 'How kube-proxy programs Services', link: '/explanation/how-kube-proxy-programs-services' },
      { text: 'Fidelity', link: '/explanation/fidelity' },
      { text: 'Fidelity of single modes', link: '/explanation/fidelity-of-modes' },
      { text: 'What a proof means', link: '/explanation/proofs' },
      { text: 'Threat model', link: '/explanation/threat-model' },
      { text: 'History of the rules', link: '/explanation/history' },
    ],
  },
  {
    text: 'Contributing',
    pages: [
      { text: 'Development', link: '/contributing/development' },
      { text: 'Tests', link: '/contributing/tests' },
      { text: 'Architecture', link: '/contributing/architecture' },
      { text: 'Plan and targets', link: '/contributing/architecture/plan-and-targets' },
      { text: 'Incremental compilation', link: '/contributing/architecture/incremental-compilation' },
      { text: 'Updates of a node', link: '/contributing/architecture/node-updates' },
      { text: 'Tracing', link: '/contributing/architecture/tracing' },
      { text: 'Packet classes', link: '/contributing/architecture/packet-classes' },
      { text: 'Documentation site', link: '/contributing/site' },
      { text: 'Dependencies', link: '/contributing/dependencies' },
    ],
  },
]
