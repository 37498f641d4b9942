import { rolldown } from 'rolldown'

/**
 * Bundles a module with all of its imports. Returns the text (`code`) and the paths of the bundled files (`modules`).
 */
export async function bundle({ input, platform, format, minify = false, plugins = [], conditions }) {
  const build = await rolldown({ input, platform, plugins, resolve: { conditionNames: conditions } })
  const { output } = await build.generate({ format, minify, comments: false, codeSplitting: false })
  const [{ code, moduleIds }] = output
  return { code, modules: moduleIds }
}
