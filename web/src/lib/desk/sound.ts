import { browserStorage } from '../shell/storage';

/** What a sound says: done, something to do, or not done. */
export type Sound = 'done' | 'act' | 'bad';

/** Notes as [Hertz, seconds]; they differ enough to be recognised without listening closely. */
const tunes: Record<Sound, [number, number][]> = {
  done: [[1175, 0.07]],
  act: [[784, 0.09], [1047, 0.09], [1319, 0.14]],
  bad: [[220, 0.16], [165, 0.26]],
};

const key = 'library.desk.sound';
let context: AudioContext | undefined;

export const soundIsOn = (): boolean => browserStorage.getItem(key) !== 'off';

export function switchSound(on: boolean): void {
  if (on) browserStorage.removeItem(key);
  else browserStorage.setItem(key, 'off');
}

/** Plays it, where the browser lets a page do so. */
export function play(sound: Sound): void {
  // After a reload nothing may sound before somebody has pressed a key.
  if (!soundIsOn() || navigator.userActivation?.hasBeenActive === false) return;
  try {
    context ??= new AudioContext();
    void context.resume().catch(() => undefined);
    let at = context.currentTime + 0.01;
    for (const [hertz, seconds] of tunes[sound]) {
      const tone = new OscillatorNode(context, { frequency: hertz, type: sound === 'bad' ? 'square' : 'sine' });
      const volume = new GainNode(context, { gain: 0 });
      const loud = sound === 'bad' ? 0.08 : 0.2;
      volume.gain.setValueAtTime(0, at);
      volume.gain.linearRampToValueAtTime(loud, at + 0.01);
      volume.gain.setValueAtTime(loud, at + seconds - 0.02);
      volume.gain.linearRampToValueAtTime(0, at + seconds); // no click at the end
      tone.connect(volume).connect(context.destination);
      tone.start(at);
      tone.stop(at + seconds);
      at += seconds;
    }
  } catch {
    // No sound here; everything is also said in words.
  }
}
