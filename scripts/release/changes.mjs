const BUMPS = ['patch', 'minor', 'major']

/** The order of sections in a release: the sections of Keep a Changelog, and one section of this project. */
const SECTIONS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security', 'Output', 'Rule output']

/**
 * Parses a change of `.changeset`: its version increment (`bump`), and its text by section.
 *
 * @throws if the file has an invalid format, or if a patch changes rule output.
 */
export function parseChange(file, text) {
  const fail = (message) => {
    throw new Error(`${file}: ${message}`)
  }
  const [, head, body] = text.match(/^---\n(.*?)\n---\n(.*)$/s) ?? fail('begins not with packages between lines of ---')
  const bumps = head.split('\n').map((line) => {
    const [, bump] =
      line.match(/^'@kube-rules\/(?:types|compiler|analyzer|proxy-kit|testing|cli)': (\w+)$/) ??
      fail(`not a package: ${line}`)
    return BUMPS.includes(bump) ? bump : fail(`not one of ${BUMPS.join(', ')}: ${bump}`)
  })
  const [before, ...parts] = body.split(/^### /m)
  if (before.trim() !== '' || parts.length === 0) fail(`every line belongs under one of ### ${SECTIONS.join(', ')}`)
  const sections = new Map(
    parts.map((part) => {
      const [heading, ...lines] = part.split('\n')
      if (!SECTIONS.includes(heading)) fail(`no such section: ${heading}`)
      return [heading, lines.join('\n').trim() || fail(`says nothing under ${heading}`)]
    }),
  )
  const bump = largest(bumps)
  if (bump === 'patch' && sections.has('Rule output')) fail('a change of rule output is at least minor')
  return { bump, sections }
}

/** Returns the version after these changes. All packages share one version. */
export function nextVersion(version, changes) {
  const [major, minor, patch] = version.split('.').map(Number)
  switch (largest(changes.map(({ bump }) => bump))) {
    case 'major':
      return `${major + 1}.0.0`
    case 'minor':
      return `${major}.${minor + 1}.0`
    default:
      return `${major}.${minor}.${patch + 1}`
  }
}

/** Builds the section of a release in `CHANGELOG.md`. */
export function sectionOf(version, date, changes) {
  const sections = SECTIONS.flatMap((heading) => {
    const texts = changes.flatMap((change) => change.sections.get(heading) ?? [])
    return texts.length === 0 ? [] : [`### ${heading}\n\n${texts.join('\n')}\n`]
  })
  return [`## [${version}] - ${date}\n`, ...sections].join('\n')
}

/** Adds a release to the changelog, above the earlier releases. */
export function withSection(changelog, section) {
  const first = changelog.search(/^## \[/m)
  return first < 0
    ? `${changelog.trimEnd()}\n\n${section}`
    : `${changelog.slice(0, first)}${section}\n${changelog.slice(first)}`
}

/** Returns the changelog section of a version, without its heading; undefined if it has none. */
export function notesOf(changelog, version) {
  const part = changelog.split(/^## \[/m).find((each) => each.startsWith(`${version}] `))
  return part && `${part.slice(part.indexOf('\n')).trim()}\n`
}

function largest(bumps) {
  return bumps.reduce((a, b) => (BUMPS.indexOf(b) > BUMPS.indexOf(a) ? b : a))
}
