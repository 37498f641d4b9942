import { printAnswer } from './print-answer.mjs'

/** The symptoms: the word in the line `Symptoms:` of a case, the heading, and what users see. */
const SYMPTOMS = {
  rejected: ['Connections are rejected', '`Connection refused`, `No route to host`'],
  hangs: ['Connections time out', '`i/o timeout`, `Connection timed out`'],
  some: ['Some connections fail', 'At the same time, connections to the same Service work.'],
  none: ['No Service works on a node', 'On other nodes, Services work.'],
  stale: ['A node does not follow changes', 'The rules have an older state of the Services.'],
  elsewhere: ['Packets have another destination than expected', 'They reach a different pod, or none.'],
  source: ['Pods see another source address than expected', 'Logs and network policies have the wrong client.'],
  unclear: ['You have rules, and do not know whether they are right', 'They are from a node, a chat or a report.'],
}

/** Returns the page that lists the cases by symptom. A case can have several symptoms. */
export function printIndex(cases) {
  const sections = Object.entries(SYMPTOMS).map(([symptom, [heading, seen]]) => {
    const links = cases
      .filter(({ symptoms }) => symptoms.includes(symptom))
      .map(({ title, page }) => `* [${title}](cases/${page}.md)\n`)
    return `## ${heading}\n\n${seen}\n\n${links.join('')}`
  })
  return [HEAD, ...sections, ABOUT].join('\n')
}

const HEAD = `# Problems by symptom

Find what you see in this list. Each page has a real problem of users, the command that finds the cause, its output, and the
reason. If your problem is not in the list, [diagnose the node](../tutorials/diagnose-a-node.md): the steps are the same for every problem.
`

const ABOUT = `## About the cases

If a case has a thread, the problem was reported there. The objects and dumps are invented. \`pnpm troubleshooting\` generates these pages, and a
test compares every output with that of the command. [Diagnoses](../reference/diagnoses.md) lists the codes of all diagnoses.
`

const PLAYGROUND = 'https://kube-rules.github.io/kube-rules/playground/'

/** Returns the page of a case. `hash` is the part of its link to the playground that starts with `#`. */
export function printCase({ path, title, thread, symptom, cause, answer }, hash) {
  const links = [
    `[Open in the playground](${PLAYGROUND}${hash})`,
    `[Files of this case](../../../fixtures/${path})`,
    ...(thread === undefined ? [] : [thread]),
  ]
  return `# ${title}\n\n${symptom}\n\n${printAnswer(answer)}\n## Why\n\n${cause}\n\n${links.join(' · ')}\n`
}
