/**
 * Variables with which a program kills itself instead of its nth commit in SQLite (1 is the first), so that a test needs
 * no luck to interrupt it.
 */
export function killedAtCommit(number: number): Record<string, string> {
  const code = `
    import { DatabaseSync } from 'node:sqlite';
    const { exec } = DatabaseSync.prototype;
    let commits = 0;
    DatabaseSync.prototype.exec = function (sql) {
      if (sql === 'COMMIT' && (commits += 1) === ${number}) process.kill(process.pid, 'SIGKILL');
      return exec.call(this, sql);
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
