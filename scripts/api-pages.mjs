// Writes docs/reference/api: one page for each entry point of the packages that users import, from its docstrings. The
// site is built with these pages; they are not committed. The exit code is 1 if TypeDoc warns.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, Comment, CommentTag, Converter, ReflectionKind, UnionType } from 'typedoc'
import { load as writeMarkdown } from 'typedoc-plugin-markdown'
import { load as addHiddenTypes } from 'typedoc-plugin-missing-exports'
import { ENTRY_POINTS } from './api/entry-points.mjs'

const HIDDEN_TYPES = 'Types without an export'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'docs/reference/api')
const sources = ENTRY_POINTS.map(({ folder, source }) => join(root, folder, source))
/** A type that several entry points export is described where it is first found: by its subpath, before the root. */
const subpathsFirst = ENTRY_POINTS.map(({ report }, index) => ({
  source: sources[index],
  depth: report.split('-').length,
}))
  .sort((first, second) => second.depth - first.depth)
  .map(({ source }) => source)
const temporary = mkdtempSync(join(tmpdir(), 'api-pages-'))

try {
  const application = await Application.bootstrapWithPlugins(optionsOf(writeConfiguration()))
  const project = await application.convert()
  if (project !== undefined) {
    nameModules(project)
    application.validate(project)
    await application.generateOutputs(project)
    // docs/reference/api.md replaces this file.
    rmSync(join(out, 'README.md'))
  }
  const { errorCount, warningCount } = application.logger
  process.exitCode = errorCount + warningCount > 0 ? 1 : 0
} finally {
  rmSync(temporary, { recursive: true })
}

/**
 * Writes a configuration for TypeScript that resolves packages to their sources, so that no build is needed, and
 * returns its path.
 */
function writeConfiguration() {
  const path = join(temporary, 'tsconfig.json')
  const compilerOptions = {
    ...{ composite: false, noEmit: true, rootDir: root },
    customConditions: ['@kube-rules/source'],
  }
  writeFileSync(path, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files: sources }))
  return path
}

function optionsOf(tsconfig) {
  return {
    tsconfig,
    entryPoints: subpathsFirst,
    out,
    plugin: [listMembers, markHiddenTypes, addHiddenTypes, writeMarkdown],
    logLevel: 'Warn',
    // `pnpm typecheck` has checked the types.
    skipErrorChecking: true,
    ...{ excludeExternals: true, disableSources: true, disableGit: true, readme: 'none' },
    packagesRequiringDocumentation: [...new Set(ENTRY_POINTS.map(({ name }) => name.split('/', 2).join('/')))],
    requiredToBeDocumented: ['Variable', 'Function', 'Class', 'Interface', 'Method', 'TypeAlias'],
    validation: { invalidLink: true, notDocumented: true },
    groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables', 'References', HIDDEN_TYPES],
    placeInternalsInOwningModule: true,
    pageTitleTemplates: { module: ({ rawName }) => ENTRY_POINTS.find(({ report }) => report === rawName).name },
    ...{ router: 'module', hideBreadcrumbs: true, hidePageHeader: true },
    ...{ useCodeBlocks: true, useCustomAnchors: true, useHTMLEncodedBrackets: true, sanitizeComments: true },
    ...{ parametersFormat: 'table', interfacePropertiesFormat: 'table', classPropertiesFormat: 'table' },
    ...{ typeAliasPropertiesFormat: 'table', typeDeclarationFormat: 'table', propertyMembersFormat: 'table' },
    tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true, hideSources: true },
  }
}

/** Renames each module to the name of its report in etc/, which becomes the name of its page. */
function nameModules(project) {
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const source = normalize(project.getSymbolIdFromReflection(module).fileName)
    module.name = ENTRY_POINTS[sources.indexOf(source)].report
  }
}

/** Moves types without an entry point below a heading that tells readers that they cannot import these types. */
function markHiddenTypes(application) {
  const exported = new Set()
  const membersOf = ({ project }) =>
    project.getChildrenByKind(ReflectionKind.Module).flatMap((module) => module.children ?? [])
  application.converter.on(
    Converter.EVENT_RESOLVE_BEGIN,
    (context) => {
      for (const member of membersOf(context)) exported.add(member)
    },
    2e9,
  )
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const member of membersOf(context).filter((each) => !exported.has(each))) {
      member.comment ??= new Comment()
      member.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: HIDDEN_TYPES }]))
    }
  })
}

/** Gives each type `(typeof NAMES)[number]` the members of the constant `NAMES`, which a reader would have to look up. */
function listMembers(application) {
  application.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const alias of project.getReflectionsByKind(ReflectionKind.TypeAlias)) {
      const { objectType, indexType } = alias.type ?? {}
      if (objectType?.type !== 'query' || indexType?.name !== 'number') continue
      alias.type = new UnionType(objectType.queryType.reflection.type.target.elements)
    }
  })
}
