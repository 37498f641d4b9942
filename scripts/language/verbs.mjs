/** The verbs with which the docstring of an exported function may begin. Add one that is missing. */
export const VERBS = new Set(
  `Accepts Adapts Adds Aggregates Allocates Allows Annotates Appends Applies Assembles Asserts Assigns Attaches Binds
  Brings Builds Caches Calculates Calls Canonicalizes Carries Casts Changes Checks Chooses Classifies Cleans Clears Clones
  Closes Collapses Collects Combines Compares Compiles Completes Composes Compresses Computes Concatenates
  Configures Constructs Consumes Continues Converts Copies Counts Creates Cuts Decides Declares Decodes Deduplicates Defines
  Deletes Denies Derives Describes Detects Determines Diagnoses Diffs Disables Discards Distinguishes Distributes
  Divides Drops Emits Enables Encodes Ends Ensures Enumerates Escapes Estimates Evaluates Excludes Executes Expands
  Expects Explains Exports Exposes Extends Extracts Fails Fills Filters Finds Finishes Flattens Flushes Follows
  Forces Forks Formats Forwards Gathers Generates Gets Gives Groups Guards Handles Hashes Hides Highlights
  Identifies Ignores Imitates Imports Includes Increments Indents Indexes Infers Initializes Inserts Inspects
  Installs Interprets Intersects Inverts Invokes Iterates Joins Keeps Leaves Limits Links Lists Loads Locates Logs
  Looks Lowers Makes Maps Marks Masks Masquerades Matches Measures Merges Mirrors Modifies Moves Multiplies Mutates
  Narrows Negates Normalizes Notes Observes Omits Opens Orders Overlays Pads Pairs Parses Partitions Passes Patches
  Performs Picks Places Plans Polls Postpones Predicts Prepares Prepends Preserves Prints Probes Processes Produces Proves
  Provides Prunes Publishes Pushes Puts Queries Quotes Raises Reads Rebuilds Receives Recognizes Records Recreates
  Redirects Reduces Refers Refreshes Registers Rejects Releases Removes Renames Renders Reorders Repeats Replaces
  Replays Reports Represents Requires Reserves Resets Resolves Restarts Restores Restricts Retries Returns Reuses
  Reveals Reverses Rewrites Rounds Routes Runs Samples Saves Scales Scans Searches Selects Sends Separates
  Serializes Sets Shifts Shortens Shows Simplifies Simulates Skips Slices Sorts Splits Stamps Starts Stops Stores
  Streams Strips Subscribes Substitutes Subtracts Suggests Summarizes Sums Supplies Swaps Switches Synchronizes
  Takes Tests Throws Tokenizes Traces Tracks Transforms Translates Traverses Trims Truncates Turns Unescapes Unfolds
  Unions Unites Unquotes Unwraps Updates Uses Validates Verifies Visits Waits Walks Warms Warns Widens Withdraws
  Wraps Writes Yields`.split(/\s+/),
)
