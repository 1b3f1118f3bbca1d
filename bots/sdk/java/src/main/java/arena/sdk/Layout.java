package arena.sdk;

import arena.v1.RulesOuterClass.Field;
import arena.v1.RulesOuterClass.Rules;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/** Where the fields of a packed view are. */
final class Layout {

    /** First word and number of words of a field. */
    record Place(int offset, int length) {}

    private final int version;
    private final int words;
    private final Map<String, Place> places = new HashMap<>();

    Layout(Rules rules) {
        version = rules.getLayoutVersion();
        int offset = 1; // behind the version word
        for (Field field : rules.getFieldsList()) {
            places.put(field.getName(), new Place(offset, field.getLength()));
            offset += field.getLength();
        }
        words = offset;
    }

    boolean has(String field) {
        return places.containsKey(field);
    }

    Place place(String field) {
        Place place = places.get(field);
        if (place == null) {
            throw new NoSuchElementException("no field " + field + "; this game has " + places.keySet());
        }
        return place;
    }

    /** The words, checked to be a view of this layout. */
    int[] check(int[] view) {
        if (view.length != words || view[0] != version) {
            throw new ArenaException("the view has " + view.length + " words, but the game said " + words + " of layout "
                    + version);
        }
        return view;
    }
}
