import { readdirSync, readFileSync } from 'node:fs'

/** Returns the page of all cases in a folder: symptom, cause, command and diagnosis of each. */
export function printCases(folder) {
  const cases = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readCase(folder, name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return [
    HEAD,
    Object.keys(SYMPTOMS)
      .map((symptom) => printSymptom(symptom, cases))
      .join(''),
    ABOUT,
    ...cases.map(printCase),
  ].join('\n')
}

/** The symptoms, by the words for them in the line `Symptoms:` of a case. */
const SYMPTOMS = {
  rejected: 'Connections are rejected (`Connection refused`, `No route to host`)',
  hangs: 'Connections time out (`i/o timeout`, `Connection timed out`)',
  some: 'Some connections fail',
  none: 'No Service works on a node',
  stale: 'A node does not follow changes',
  elsewhere: 'Packets have another destination than expected',
  source: 'Pods see another source address than expected',
}

const HEAD = `# Problems by symptom

Find what you see in this list. Each entry links a real problem of users, its cause, and the diagnosis that kube-rules prints. If your problem
is not in the list, [diagnose the node](../tutorials/diagnose-a-node.md): the steps are the same for every problem.
`

const ABOUT = `Every case is a folder of [fixtures/troubleshooting](../../fixtures/troubleshooting) with objects, dumps, commands and the complete output.
Each case has the number of the thread with the original report of the problem; the objects and dumps are invented.
[Diagnoses](../reference/diagnoses.md) lists the codes of all diagnoses. \`pnpm troubleshooting\` generates this page.
`

function readCase(folder, name) {
  const [heading = '', ...text] = readFileSync(`${folder}/${name}/README.md`, 'utf8').split('\n')
  const answer = readFileSync(`${folder}/${name}/answer.txt`, 'utf8')
  const isSymptoms = (line) => line.startsWith('Symptoms: ')
  const symptoms = text.find(isSymptoms).replace('Symptoms: ', '').split(', ')
  const shown = text.filter((line) => !isSymptoms(line))
  return { name, title: heading.replace('# ', ''), symptoms, text: shown.join('\n').trim(), answer }
}

/** Returns the cases with a symptom, as a list of links. */
function printSymptom(symptom, cases) {
  const links = cases
    .filter(({ symptoms }) => symptoms.includes(symptom))
    .map(({ title }) => `  - [${title}](#${anchorOf(title)})\n`)
  return `- ${SYMPTOMS[symptom]}\n${links.join('')}`
}

function printCase({ name, title, text, answer }) {
  return `## ${title}\n\n${text}\n\n\`\`\`\n${firstLines(answer)}\`\`\`\n\n[Complete case](../../fixtures/troubleshooting/${name})\n`
}

/** The maximum number of printed lines for a command without a diagnosis. */
const SHORT = 24

/** Returns each command with its diagnosis; a command without one with all its output, if that is short. */
function firstLines(answer) {
  const parts = answer.split(/^(?=\$ )/m).map((part) => {
    const [command = '', ...lines] = part.trimEnd().split('\n')
    const kept = lines.filter((line, index) => isOfDiagnosis(line) || /^why: /.test(lines[index + 1] ?? ''))
    if (kept.length === 0 && lines.length > SHORT) return ''
    return `${[command, ...(kept.length === 0 ? lines : kept)].join('\n')}\n`
  })
  return parts.filter((part) => part !== '').join('\n')
}

/** Whether a line belongs to a diagnosis: cause, numbered steps with their commands and impacts, or rule. */
function isOfDiagnosis(line) {
  return /^(?:why: |do:$|rule: | {2}\d\. | {5}\S)/.test(line)
}

/** Returns the anchor that GitHub generates for a heading. */
function anchorOf(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-')
}
