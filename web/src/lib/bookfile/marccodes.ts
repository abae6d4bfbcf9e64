/** The codes of two letters with those that catalogues use (ISO 639-2/B). A test compares them with the library's own list. */
export const bibliographic =
  'aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bhbih bibis bmbam bnben botib brbre bsbos cacat ceche chcha ' +
  'cocos crcre cscze cuchu cvchv cywel dadan deger dvdiv dzdzo eeewe elgre eneng eoepo esspa etest eubaq faper ffful fifin fjfij fofao frfre fyfry gagle ' +
  'gdgla glglg gngrn guguj gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyarm hzher iaina idind ieile igibo iiiii ikipk ioido isice itita iuiku jajpn ' +
  'jvjav kageo kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav ' +
  'mgmlg mhmah mimao mkmac mlmal mnmon mrmar msmay mtmlt mybur nanau nbnob ndnde nenep ngndo nldut nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ' +
  'ososs papan pipli plpol pspus ptpor quque rmroh rnrun rorum rurus rwkin sasan scsrd sdsnd sesme sgsag shhbs sisin skslo slslv smsmo snsna sosom sqalb ' +
  'srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl tntsn toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven ' +
  'vivie vovol wawln wowol xhxho yiyid yoyor zazha zhchi zuzul';
